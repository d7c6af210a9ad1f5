--! redact
-- Whether a value is there, and how many elements it has, is not redacted
select id, event_message is null as absent, array_length(c.domain) as n from realtime_logs
cross join unnest(metadata) as m cross join unnest(m.context) as c where c.application is not null order by id
