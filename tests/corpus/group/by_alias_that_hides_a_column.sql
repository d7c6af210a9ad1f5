-- GROUP BY timestamp means the alias
select timestamp_trunc(timestamp, day) as timestamp, count(*) as n from edge_logs group by timestamp order by timestamp
