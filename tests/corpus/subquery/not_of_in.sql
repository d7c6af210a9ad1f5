-- NOT of IN a sub-query with a NULL
select count(*) as n from edge_logs where not (id in (select id from auth_logs))
