-- WITH inside of a sub-query
select (with a as (select 1 as x union all select 2) select sum(x) from a) as total
