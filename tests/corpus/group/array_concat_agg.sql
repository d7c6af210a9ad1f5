-- ARRAY_CONCAT_AGG in an order and cut
select m, array_concat_agg(a order by n desc) as a, array_concat_agg(a order by n limit 1) as b, array_length(array_concat_agg(a)) as c from (select mod(n, 2) as m, n, if(n = 2, null, [n, n * 10]) as a from unnest([1, 2, 3, 4, 5]) as n) group by m order by m
