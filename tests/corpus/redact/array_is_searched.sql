--! redact
-- An array that is not joined is redacted as a whole
select id, array_to_string(c.domain, ".") as domain from realtime_logs cross join unnest(metadata) as m
cross join unnest(m.context) as c order by id
