--! redact
-- JSON text is redacted before it is read
select json_value(event_message, "$.ip") as ip from edge_logs order by id
