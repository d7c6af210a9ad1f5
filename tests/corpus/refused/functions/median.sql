-- MEDIAN is written APPROX_QUANTILES
select median(timestamp) as x from edge_logs
