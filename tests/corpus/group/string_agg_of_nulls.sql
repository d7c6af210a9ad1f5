-- STRING_AGG leaves NULLs out
select string_agg(m.error, '|' order by m.error) as a, string_agg(distinct m.level order by m.level) as b, count(distinct m.level) as n from auth_logs cross join unnest(metadata) as m
