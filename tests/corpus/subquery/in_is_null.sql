-- Whether IN a sub-query is NULL
select count(*) as n from edge_logs where (id in (select id from auth_logs)) is null
