-- ROLLUP of no rows makes no total, with HAVING and without
select x, count(*) as n from unnest([1, 2]) as x where x > 2 group by rollup(x)
union all
select x, count(*) as n from unnest([1, 2, 3]) as x where x > 2 group by rollup(x) having x is null or count(*) > 0
