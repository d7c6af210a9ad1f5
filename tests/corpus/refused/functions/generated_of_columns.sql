-- The bounds of generated arrays are literals
select generate_timestamp_array(timestamp, timestamp, interval 1 hour) as a from edge_logs
