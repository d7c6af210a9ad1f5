-- APPROX_COUNT_DISTINCT
select approx_count_distinct(id) as n from edge_logs
