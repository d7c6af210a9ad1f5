-- A percentile needs a window
select percentile_cont(length(id), 0.5) as a from edge_logs
