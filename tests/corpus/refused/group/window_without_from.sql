-- A window function has no rows without FROM
select sum(1) over () as n
