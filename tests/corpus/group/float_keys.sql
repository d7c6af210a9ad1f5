-- Groups of FLOAT64, with both zeros
select x, count(*) as n from unnest([0.0, -0.0, 1.5, 1.5, null]) as x group by x order by x
