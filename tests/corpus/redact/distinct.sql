--! redact
-- Distinct redacted values
select distinct event_message from edge_logs order by event_message
