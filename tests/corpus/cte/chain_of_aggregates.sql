-- An aggregate of an aggregate
with by_level as (select m.level as level, count(*) as n from auth_logs cross join unnest(metadata) as m group by level), total as (select sum(n) as all_of_them from by_level) select level, n, round(n / all_of_them, 4) as share from by_level cross join total order by level
