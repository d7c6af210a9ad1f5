-- NULLs first and last
select m.status, id from auth_logs cross join unnest(metadata) as m order by m.status desc nulls first, id asc nulls last
