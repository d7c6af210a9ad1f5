-- A percentile is of a literal from 0 to 1
select percentile_cont(length(id), 1.5) over () as a from edge_logs
