-- A join on FLOAT64
select x, y from unnest([cast('nan' as float64), 2.0, null, 0.0]) as x join (select y from unnest([cast('nan' as float64), 2.0, null, -0.0]) as y) as b on x = b.y order by x
