-- CORR of less than two pairs is NULL, whatever they are
select q.k, corr(q.x, q.x) as c, covar_samp(q.x, q.x) as d, covar_pop(q.x, q.x) as e
from (select 1 as k, cast('nan' as float64) as x union all select 2, cast('inf' as float64) union all select 3, 1.5
  union all select 4, 1.0 union all select 4, cast('nan' as float64)) as q
group by q.k
order by q.k
