-- Units are in the singular
select timestamp_sub(timestamp, interval 5 minutes) as t from edge_logs
