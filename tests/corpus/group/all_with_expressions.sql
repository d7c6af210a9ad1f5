-- GROUP BY ALL groups by expressions
select lower(m.level) as level, m.mode, count(*) as n from pooler_logs cross join unnest(metadata) as m group by all order by 1, 2
