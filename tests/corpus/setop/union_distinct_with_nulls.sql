-- UNION DISTINCT keeps one NULL
select m.level from auth_logs cross join unnest(metadata) as m union distinct select m.level from pooler_logs cross join unnest(metadata) as m order by level
