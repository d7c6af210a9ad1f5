-- DISTINCT keeps one NULL
select distinct m.method, m.level from auth_logs cross join unnest(metadata) as m order by method, level
