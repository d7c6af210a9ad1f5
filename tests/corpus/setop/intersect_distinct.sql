-- INTERSECT DISTINCT takes NULLs for equal
select m.level from auth_logs cross join unnest(metadata) as m intersect distinct select m.level from pooler_logs cross join unnest(metadata) as m order by level
