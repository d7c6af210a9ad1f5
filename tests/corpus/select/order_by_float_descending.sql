-- ORDER BY FLOAT64 descending puts NaN before NULL
select x from unnest([1.5, cast('nan' as float64), null, -2.0, cast('inf' as float64)]) as x order by x desc
