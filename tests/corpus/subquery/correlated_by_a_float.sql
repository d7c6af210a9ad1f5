-- Values of FLOAT64 of the outer row
select a.n, exists (select 1 from (select 1.5 as x union all select 2.5) as b where b.x = a.n) as found
from (select 1.5 as n union all select cast('nan' as float64)) as a
order by a.n
