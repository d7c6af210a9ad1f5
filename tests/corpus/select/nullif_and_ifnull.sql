-- NULLIF and IFNULL
select id, nullif(m.level, '') as level, ifnull(m.status, -1) as status, coalesce(nullif(m.msg, ''), m.error, '-') as text from auth_logs cross join unnest(metadata) as m order by id
