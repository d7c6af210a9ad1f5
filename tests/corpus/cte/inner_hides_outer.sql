-- An inner CTE hides an outer one
with a as (select 1 as x) select (with a as (select 2 as x) select x from a) as inner_x, x from a
