--! redact
-- A whole row is redacted before it becomes text
select to_json_string(t) as row from database_logs as t order by t.timestamp desc, t.id
