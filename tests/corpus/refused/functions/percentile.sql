-- A percentile is an approximate quantile
select approx_percentile(1.0, 0.5) as x from edge_logs
