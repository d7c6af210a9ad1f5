-- DISTINCT of rows that a window has ordered
select distinct x, count(*) over (partition by x) as n from unnest([true, false, true, null]) as x
