-- CONVERT is written CAST
select convert(id, char) as x from edge_logs
