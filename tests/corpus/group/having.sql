--! unordered
-- HAVING with an alias
select m.level, count(*) as n from pooler_logs cross join unnest(metadata) as m group by level having n > 1 order by n desc
