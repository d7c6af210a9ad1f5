-- ROLLUP of an expression and a path
select date(t.timestamp) as day, m.level, count(*) as n from pooler_logs as t cross join unnest(t.metadata) as m group by rollup(1, 2) order by 1, 2
