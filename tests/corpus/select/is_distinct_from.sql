-- IS DISTINCT FROM takes NULL for a value
select id, m.error is distinct from 'boom' as a, m.error is not distinct from null as b from auth_logs cross join unnest(metadata) as m order by id
