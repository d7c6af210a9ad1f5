-- LEFT JOIN UNNEST with a condition
select t.id, m.level from pooler_logs as t left join unnest(t.metadata) as m on m.level = 'info' order by 1, 2
