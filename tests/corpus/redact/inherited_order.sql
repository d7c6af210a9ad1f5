--! redact
-- Newest first, as without redaction; the key is no text
select event_message from edge_logs limit 3
