-- MIN and MAX with NaN
select min(x) as least, max(x) as most, sum(x) as total, count(x) as n from unnest([1.5, cast('nan' as float64), null, -2.0]) as x
