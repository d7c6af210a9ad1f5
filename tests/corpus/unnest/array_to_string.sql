-- ARRAY_TO_STRING with and without a text for NULL
select r.id, array_to_string(c.domain, ',') as a from realtime_logs as r cross join unnest(r.metadata) as m cross join unnest(m.context) as c order by r.id
