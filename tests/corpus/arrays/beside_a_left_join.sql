-- A sub-query over one array of a row whose other array is joined
select a.k, s, (select max(e - a.k) from unnest(a.xs) as e) as m, (select max(s) from unnest(a.xs) as s where s > a.k) as n
from (select k, [k, 3] as xs, if(k > 1, ['a', 'b'], []) as ss from unnest([1, 2, 3]) as k) as a
left join unnest(a.ss) as s
order by a.k, s
