-- ARRAY_LENGTH of arrays in records
select r.id, array_length(m.context) as contexts, array_length(c.domain) as domains from realtime_logs as r left join unnest(r.metadata) as m left join unnest(m.context) as c order by r.id
