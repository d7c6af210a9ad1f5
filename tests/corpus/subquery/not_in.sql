-- NOT IN a sub-query
select id from edge_logs where id not in (select id from auth_logs where id is not null) order by id
