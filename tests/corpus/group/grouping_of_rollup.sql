-- GROUPING tells the rows of ROLLUP from those of NULL
select m, n, grouping(m) as gm, grouping(n) as gn, count(*) as c from (select mod(x, 2) as m, if(x = 3, null, x) as n from unnest([1, 2, 3]) as x) group by rollup(m, n) order by gm, gn, m, n
