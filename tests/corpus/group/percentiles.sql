-- PERCENTILE_CONT and PERCENTILE_DISC over windows
select k, x, percentile_cont(x, 0.5) over (partition by k) as median, percentile_cont(x, 0.1) over () as low, percentile_disc(x, 0.9) over (partition by k) as high, percentile_disc(x, 0.1) over () as first from (select mod(x, 3) as k, cast(x as float64) as x from unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) as x) order by x
