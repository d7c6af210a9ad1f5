-- The engine has no join for a sub-query that reads the row inside of a window function
select id, max(id) over (order by (select count(*) from function_logs as f where f.id = e.id)) as m from edge_logs as e
