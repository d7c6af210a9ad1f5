-- A window function over groups
select m.level, count(*) as n, rank() over (order by count(*) desc, m.level) as place from pooler_logs cross join unnest(metadata) as m group by m.level order by place
