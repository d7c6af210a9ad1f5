--! redact
-- A computed column is computed inside of the LIMIT, a plain one is redacted behind it
select upper(event_message) as u, event_message as e, id from edge_logs order by timestamp desc, id limit 4
