--! redact
-- Elements of an array of texts
select d, o from realtime_logs cross join unnest(metadata) as m cross join unnest(m.context) as c
cross join unnest(c.domain) as d with offset as o order by timestamp, id, o
