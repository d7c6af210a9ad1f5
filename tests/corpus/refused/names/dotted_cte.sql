-- No CTE has a dot in its name
with `a.b` as (select 1 as x) select x from `a.b`
