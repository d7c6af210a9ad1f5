-- HAVING an aggregate that is no output
select m.level from auth_logs cross join unnest(metadata) as m group by m.level having count(*) >= 2 order by level
