-- An array is NULL where its record is, else empty
select r.id, c is null as no_context, c.domain is null as no_array, array_length(c.domain) as n from realtime_logs as r left join unnest(r.metadata) as m left join unnest(m.context) as c order by r.id
