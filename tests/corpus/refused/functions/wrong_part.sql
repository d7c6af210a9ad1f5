-- A part that the function does not have
select timestamp_add(timestamp, interval 1 month) from edge_logs
