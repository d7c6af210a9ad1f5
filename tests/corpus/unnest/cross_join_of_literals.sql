-- Two array literals
select a, b from unnest(['x', 'y', null]) as a cross join unnest([1, null]) as b order by a, b
