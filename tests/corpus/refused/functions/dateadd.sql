-- DATEADD is written TIMESTAMP_ADD
select dateadd(day, 1, timestamp) as n from edge_logs
