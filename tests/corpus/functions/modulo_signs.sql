-- MOD and DIV take the sign of the dividend
select x, mod(x, 3) as a, mod(x, -3) as b, div(x, 3) as c, x / 4 as d, abs(x) as e, sign(x) as f from unnest([7, -7, 0, 1]) as x order by x
