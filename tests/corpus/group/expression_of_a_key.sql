-- An expression over a key
select concat(m.level, '!') as loud, count(*) as n from pooler_logs cross join unnest(metadata) as m group by m.level order by 1
