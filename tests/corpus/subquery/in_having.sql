-- IN a sub-query in HAVING
select m.level, count(*) as n from auth_logs cross join unnest(metadata) as m group by level having count(*) in (select x from unnest([1, 2, 3]) as x) order by level
