-- NaN is the least FLOAT64
select array(select x from unnest([1.5, cast('nan' as float64), null, -1.0]) as x order by x) as up, array(select x from unnest([1.5, cast('nan' as float64), null, -1.0]) as x order by x desc) as down
