-- Two sums of one sub-query over an array
select k, sum((select max(e) from unnest(xs) as e)) as a, sum((select max(e) from unnest(xs) as e)) as b
from (select mod(k, 2) as k, [k, 3] as xs from unnest([1, 2, 3, 4]) as k)
group by k
order by k
