-- The NaN that a statistic makes is one key with that of a value
select c, count(*) as n
from (
  select covar_pop(x, x) as c from unnest([cast('inf' as float64), 1.0]) as x
  union all select cast('nan' as float64) from unnest([1])
  union all select corr(x, x) from unnest([cast('-inf' as float64), 1.0]) as x
)
group by c
