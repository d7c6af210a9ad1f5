--! redact
-- Conditions of joins see redacted values
select a.id, b.id as other from edge_logs as a join auth_logs as b on a.event_message = b.event_message and a.id < b.id
order by a.id, other
