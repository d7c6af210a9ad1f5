-- An interval needs a unit
select timestamp_sub(timestamp, interval 5) as t from edge_logs
