-- INNER JOIN UNNEST without ON
select t.id, m.level from pooler_logs as t join unnest(t.metadata) as m order by 1, 2
