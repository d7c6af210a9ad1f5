-- WITHIN GROUP is not accepted
select percentile_cont(0.5) within group (order by timestamp) as p from edge_logs
