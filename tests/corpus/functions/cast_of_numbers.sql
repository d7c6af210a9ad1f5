-- Numbers as text and as each other
select x, cast(x as string) as s, cast(x as int64) as i, round(x) as r, trunc(x) as t, ceil(x) as c, floor(x) as f from unnest([0.0, -0.5, 0.5, 1.5, 2.5, -1.5, 1e15, 123456.789, 1e-7]) as x order by x
