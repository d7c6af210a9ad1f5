-- NaN and the infinities
select x, is_nan(x) as nan, is_inf(x) as inf, cast(x as string) as s, ieee_divide(1, x) as inverse from unnest([cast('nan' as float64), cast('inf' as float64), cast('-inf' as float64), 0.0, null]) as x order by x
