-- GROUP BY ALL
select m.level, m.mode, count(*) as n from pooler_logs cross join unnest(metadata) as m group by all order by n desc, level, mode
