-- NaN compares with nothing
select x, x = x as same, x > 1 as more, x < 1 as less, x != 1 as other, not (x >= y) as a, x != y as b, x between -1 and 5 as c from unnest([cast('nan' as float64), 2.0, null]) as x cross join unnest([cast('nan' as float64), 2.0, null]) as y order by x, y
