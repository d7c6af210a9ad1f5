-- STRING_AGG with a limit
select string_agg(m.level, ',' order by m.level limit 2) as a from auth_logs cross join unnest(metadata) as m
