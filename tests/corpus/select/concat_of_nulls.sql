-- Concatenation with NULL is NULL
select id, id || m.error as a, concat(id, m.level, 'x') as b from auth_logs cross join unnest(metadata) as m order by id
