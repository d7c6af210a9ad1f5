-- IN over a sub-query
select id from edge_logs where id in (select id from function_edge_logs) limit 5
