-- 0 and -0 are one value
select approx_count_distinct(f) as c, array_length(approx_top_count(f, 5)) as n, array_length(approx_quantiles(distinct f, 1)) as q, approx_quantiles(distinct f, 2)[offset(1)] as middle
from unnest([0.0, -0.0, cast('-0.0' as float64), 1.5, 7.0]) as f
