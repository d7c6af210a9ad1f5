-- A window that is ordered by a constant has all rows of the partition as equals
select n, rank() over (order by 1) as r, first_value(m) over (partition by n order by 'a') as f, sum(m) over (order by null) as s from (select 1 as n, 2 as m union all select 2, 3) order by n
