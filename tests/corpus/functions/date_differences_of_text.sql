--! unordered
-- A literal stands for a value of the type that the function is named for
select id, date_diff(date(timestamp), '2024-01-01', day) as days, timestamp_diff(timestamp, '2024-01-01', hour) as hours, datetime_diff('2030-01-01', datetime(timestamp), year) as years from edge_logs
