-- Nor of ||
select id || (null) as x from edge_logs
