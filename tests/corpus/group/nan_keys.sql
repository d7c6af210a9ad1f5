-- NaN is one key, wherever it comes from
select y, count(*) as n, count(distinct z) as zs
from (
  select ieee_divide(x, 0) as y, -x as z from unnest([0.0, -0.0, cast('nan' as float64), 1.0]) as x
  union all select x, x from unnest([cast('nan' as float64), -cast('nan' as float64)]) as x
)
group by y order by y
