-- EXCEPT DISTINCT takes NULLs for equal
select x from unnest([1, 1, 2, null, null]) as x except distinct select y from unnest([2, null]) as y order by x
