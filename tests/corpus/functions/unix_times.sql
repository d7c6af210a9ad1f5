-- Seconds, milliseconds and microseconds since the epoch
select id, unix_seconds(timestamp) as s, unix_millis(timestamp) as ms, unix_micros(timestamp) as us, timestamp_millis(unix_millis(timestamp)) as again from edge_logs order by id
