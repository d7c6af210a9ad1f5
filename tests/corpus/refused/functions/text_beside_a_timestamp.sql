-- A literal is a DATE to DATE_DIFF and a TIMESTAMP to TIMESTAMP_DIFF, whatever stands beside it
select date_diff(timestamp, '2024-01-01', day) as a, timestamp_diff(date(timestamp), '2024-01-01', day) as b, datetime_diff('2024-01-01', timestamp, day) as c from edge_logs
