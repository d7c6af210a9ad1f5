-- A scalar function has no DISTINCT
select lower(distinct id) as x from edge_logs
