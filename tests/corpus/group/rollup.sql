--! unordered
-- ROLLUP
select m.level, count(*) as n from pooler_logs cross join unnest(metadata) as m group by rollup(m.level) order by level
