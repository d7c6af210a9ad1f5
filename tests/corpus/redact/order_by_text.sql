--! redact
-- Sorted by the redacted values
select id from edge_logs order by event_message desc, id limit 5
