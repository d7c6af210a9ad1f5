-- APPROX_TOP_SUM is on BigQuery only
select approx_top_sum(id, 1, 2) as a from edge_logs
