--! redact
-- What the arms differ in is told from redacted values
select id, event_message from edge_logs except distinct select id, event_message from auth_logs order by 1, 2
