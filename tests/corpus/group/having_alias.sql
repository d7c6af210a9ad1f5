-- HAVING knows aliases
select m.level, count(*) as n from pooler_logs cross join unnest(metadata) as m group by 1 having n > 1 order by 1
