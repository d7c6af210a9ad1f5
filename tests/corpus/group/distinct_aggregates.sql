-- DISTINCT inside of aggregate functions
select count(distinct x) as a, sum(distinct x) as b, avg(distinct x) as c, string_agg(distinct cast(x as string), '-' order by cast(x as string) desc) as d, array_agg(distinct x ignore nulls order by x desc limit 2) as e, countif(distinct x > 1) as f, min(distinct x) as g, bit_xor(distinct x) as h from unnest([1, 2, 2, 3, null, 3]) as x
