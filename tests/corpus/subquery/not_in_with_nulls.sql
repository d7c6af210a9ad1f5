-- NOT IN a sub-query with a NULL holds for no row
select count(*) as n from edge_logs where id not in (select id from auth_logs)
