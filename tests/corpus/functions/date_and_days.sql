-- Days are added to a date and taken off
select d + 1 as a, 1 + d as b, d - k as c
from unnest([date '2024-02-28', date '1970-01-01', null]) as d with offset as k
order by k
