-- Arms in parentheses with ORDER BY and LIMIT
(select id from edge_logs order by id limit 2) union all (select id from auth_logs order by id limit 2) order by id
