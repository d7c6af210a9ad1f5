-- Spread, covariance and bits
select k, stddev_samp(x) as a, stddev_pop(x) as b, var_samp(x) as c, covar_pop(x, y) as d, covar_samp(x, y) as e, corr(x, y) as f, bit_and(n) as g, bit_or(n) as h from (select 1 as k, 1.5 as x, 2.0 as y, 6 as n union all select 1, 2.5, -1.0, 3 union all select 2, null, 1.0, null union all select 2, 3.0, 7.5, -1 union all select 3, 1.0, 1.0, 0) group by k order by k
