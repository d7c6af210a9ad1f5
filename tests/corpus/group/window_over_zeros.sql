-- 0 and -0 are peers in a window
select k, rank() over (order by x) as r, sum(k) over (order by x) as s, dense_rank() over (order by x) as d,
  dense_rank() over (order by x desc) as e
from unnest([-0.0, 1.0, 0.0, null, cast('nan' as float64), -0.0]) as x with offset as k
order by x, k desc
