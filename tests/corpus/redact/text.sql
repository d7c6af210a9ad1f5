--! redact
-- A text is redacted where it leaves the sub-table
select id, timestamp, event_message, reverse(event_message) as backwards from edge_logs
