-- ORDER BY an aggregate that is not selected
select m.level from pooler_logs cross join unnest(metadata) as m group by 1 order by count(*) desc, 1
