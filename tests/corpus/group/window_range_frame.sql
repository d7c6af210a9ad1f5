-- A RANGE frame counts by value
select x, count(*) over (order by x range between 1 preceding and 1 following) as near from unnest([1, 2, 2, 4, 7]) as x order by x, near
