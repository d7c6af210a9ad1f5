-- The nested metadata is an output column
select id, timestamp, event_message, metadata from edge_logs where id = 'e-0007' limit 1
