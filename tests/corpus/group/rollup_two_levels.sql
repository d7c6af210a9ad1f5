-- ROLLUP with two keys
select m.level, m.method, count(*) as n from auth_logs cross join unnest(metadata) as m where m.level is not null and m.method is not null group by rollup(m.level, m.method) order by level, method, n
