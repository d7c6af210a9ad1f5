-- Comparisons with NULL are NULL
select id, m.error = 'boom' as eq, m.error != 'boom' as ne, m.error is null as gone, not (m.error = 'boom') as inverted from auth_logs cross join unnest(metadata) as m order by id
