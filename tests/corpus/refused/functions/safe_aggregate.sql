-- SAFE goes with scalar functions
select safe.sum(1) as n from edge_logs
