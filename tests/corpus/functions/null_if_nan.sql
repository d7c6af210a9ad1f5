-- NULLIF compares as numbers do
select x, nullif(x, cast('nan' as float64)) as a, nullif(x, 0) as b, nullif(1, null) as c from unnest([cast('nan' as float64), 0.0, -0.0, 1.5, null]) as x order by x
