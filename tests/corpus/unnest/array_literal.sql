-- UNNEST of an array literal
select x, x * 2 as twice from unnest([1, 2, 3]) as x order by x
