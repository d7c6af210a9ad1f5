-- NaN is one value for UNION DISTINCT, wherever it comes from, and so are the zeros
select x, ieee_divide(x, x) as y from unnest([0.0, cast('inf' as float64), cast('nan' as float64)]) as x
union distinct select -x, -x from unnest([0.0, cast('nan' as float64)]) as x
