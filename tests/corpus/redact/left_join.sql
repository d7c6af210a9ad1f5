--! redact
-- Rows without a match stay NULL
select a.id, b.event_message from edge_logs as a left join auth_logs as b on a.timestamp = b.timestamp order by a.id, b.event_message
