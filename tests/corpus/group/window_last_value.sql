-- LAST_VALUE over the whole partition, NULLs left out
select id, m.level, last_value(m.error ignore nulls) over (partition by m.level order by auth_logs.timestamp, id rows between unbounded preceding and unbounded following) as last from auth_logs cross join unnest(metadata) as m order by id
