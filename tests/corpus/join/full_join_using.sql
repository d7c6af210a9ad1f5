-- USING of a FULL JOIN takes the side that is there
select x, l, r from (select x, x * 10 as l from unnest([1, 2]) as x) full join (select x, x * 100 as r from unnest([2, 3]) as x) using (x) order by x
