-- A running total
select x, sum(x) over (order by x rows between unbounded preceding and current row) as total, avg(x) over (order by x rows between 1 preceding and 1 following) as mean, count(*) over () as n from unnest([3, 1, 2, 5]) as x order by x
