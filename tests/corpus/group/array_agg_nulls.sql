-- ARRAY_AGG with and without NULLs
select array_agg(x ignore nulls order by n) as a, array_agg(x respect nulls order by n desc limit 2) as b, array_agg(x ignore nulls order by x desc, n limit 1)[safe_offset(0)] as c from (select 1 as n, 'b' as x union all select 2, 'c' union all select 3, 'a' union all select 4, 'c')
