-- BETWEEN with NULL bounds
select x, x between 1 and null as a, x between null and 1 as b, x not between 2 and 3 as c from unnest([1, 2, 4, null]) as x order by x
