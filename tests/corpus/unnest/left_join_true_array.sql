--! nondeterministic LIMIT among rows of equal timestamps
-- LEFT JOIN UNNEST of an array of any length
select id, d from realtime_logs left join unnest(metadata) as m left join unnest(m.context) as c left join unnest(c.domain) as d limit 5
