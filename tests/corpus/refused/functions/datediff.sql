-- DATEDIFF is written TIMESTAMP_DIFF
select datediff(day, timestamp, timestamp) as n from edge_logs
