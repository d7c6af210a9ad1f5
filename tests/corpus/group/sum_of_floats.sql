-- Sums of FLOAT64 at the edges
select k, sum(x) as s, min(x) as m, max(x) as n, count(x) as c from (select 1 as k, cast('inf' as float64) as x union all select 1, 1 union all select 2, cast('nan' as float64) union all select 2, 1 union all select 3, 1e15 union all select 3, 0.5 union all select 4, cast(null as float64)) group by k order by k
