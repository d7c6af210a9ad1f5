-- An element that has the name and the type of a column of the row
select c, (select max(k * 100 - a.c) from unnest([5, 7]) as k) as m
from (select distinct x + 1 as c, mod(x, 3) as k from unnest([1, 2, 3, 4, 5, 6, 7]) as x) as a
order by c
