--! redact
-- Columns of USING match when their redacted values do
select a.id, event_message from edge_logs as a join database_logs as b using (event_message) order by a.id, event_message
