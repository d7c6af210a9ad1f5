-- A part that the type of a literal lacks
select date_trunc('2024-01-01', hour) as a, timestamp_add('2024-01-01', interval 1 month) as b,
  timestamp_bucket(timestamp, interval 1 month) as c, time_diff('10:00:00', '11:00:00', day) as d from edge_logs
