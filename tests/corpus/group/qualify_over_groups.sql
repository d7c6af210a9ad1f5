-- QUALIFY over grouped rows
select m.level, m.method, count(*) as n from auth_logs cross join unnest(metadata) as m group by level, method qualify row_number() over (partition by m.level order by count(*) desc, m.method) = 1 order by level
