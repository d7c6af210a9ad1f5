-- WITH needs a query after it
with t as (select 1 as a)
