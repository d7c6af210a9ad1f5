-- ROUND to digits, halves away from zero
select x, round(x, 1) as a, round(x, 0) as b, round(x, -1) as c, trunc(x, 1) as d from unnest([2.25, -2.25, 15.0, 25.0, 0.05, 1.005, -0.04]) as x order by x
