-- A scalar function has no OVER
select lower(id) over () as x from edge_logs
