-- A percentile has no ORDER BY
select percentile_cont(length(id), 0.5) over (order by id) as a from edge_logs
