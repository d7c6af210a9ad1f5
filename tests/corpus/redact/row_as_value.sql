--! redact
-- A whole row as a value
select t from rest_api_logs as t order by t.timestamp desc, t.id
