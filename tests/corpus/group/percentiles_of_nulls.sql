-- Percentiles ignore NULLs unless told otherwise
select x, percentile_cont(x, 0.5) over () as a, percentile_cont(x, 0.5 respect nulls) over () as b, percentile_disc(x, 0.5 ignore nulls) over () as c, percentile_disc(x, 0.4 respect nulls) over () as d, percentile_disc(cast(x as string), 0.5) over () as e from unnest([null, 1.5, null, 3.0, cast('nan' as float64)]) as x order by x
