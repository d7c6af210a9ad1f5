-- NaN is in no list, also in that of a sub-query
select x, x in (select y from unnest([0.0, cast('nan' as float64)]) as y) as c
from unnest([0.0, -0.0, 1.0, cast('nan' as float64)]) as x
where x in (select y from unnest([-0.0, 1.0, cast('nan' as float64)]) as y)
  or x not in (select y from unnest([cast('nan' as float64), 1.0]) as y)
order by x
