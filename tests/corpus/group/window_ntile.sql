-- NTILE, PERCENT_RANK and CUME_DIST
select x, ntile(2) over (order by x) as t, percent_rank() over (order by x) as p, cume_dist() over (order by x) as c from unnest([1, 2, 2, 4, 5]) as x order by x, t
