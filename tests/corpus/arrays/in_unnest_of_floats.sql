-- FLOAT64 elements are equal as IEEE 754 has it
select cast('nan' as float64) in unnest([cast('nan' as float64), 1.0]) as a, 0.0 in unnest([-0.0]) as b, x in unnest(array_concat([x], [2.0])) as c, x in unnest([1.5, null]) as d from (select 1.0 as x union all select cast('nan' as float64) union all select -0.0) order by a, b, c, d, x
