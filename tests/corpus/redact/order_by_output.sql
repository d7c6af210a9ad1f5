--! redact
-- A column that sorts is redacted before
select event_message as e, id from edge_logs order by e, id limit 5
