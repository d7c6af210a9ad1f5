-- LIMIT and OFFSET after a set operation
select id from edge_logs union all select id from auth_logs order by 1 limit 3 offset 1
