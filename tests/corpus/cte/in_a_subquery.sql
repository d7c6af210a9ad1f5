-- A CTE of a sub-query
select n from (with x as (select count(*) as n from auth_logs) select n from x)
