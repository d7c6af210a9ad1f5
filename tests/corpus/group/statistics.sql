-- Variance and correlation
select stddev(x) as a, variance(x) as b, stddev_pop(x) as c, var_pop(x) as d, corr(x, x * 2) as e, covar_samp(x, x) as f from unnest([1.0, 2.0, 4.0, null]) as x
