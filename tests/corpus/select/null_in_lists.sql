-- IN and NOT IN with a NULL in the list
select id, m.status in (200, null) as a, m.status not in (200, null) as b, m.status not in (200, 500) as c from auth_logs cross join unnest(metadata) as m order by id
