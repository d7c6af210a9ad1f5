-- MIN and MAX of FLOAT64 over an array with NaN
select (select max(x) from unnest(array_concat([1.5], [e.v])) as x) as hi, (select min(x) from unnest(array_concat([1.5], [e.v])) as x) as lo from (select cast('nan' as float64) as v union all select 2.5 union all select null) as e order by hi, lo
