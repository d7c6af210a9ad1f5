-- NOT IN a sub-query with a NULL, beside another condition
select id from edge_logs where id not in (select id from auth_logs) or id = 'e-0007' order by id
