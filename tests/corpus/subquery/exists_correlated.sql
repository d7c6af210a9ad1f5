-- A correlated EXISTS
select e.id from edge_logs as e where exists (select 1 from function_edge_logs as f where f.id = e.id) limit 5
