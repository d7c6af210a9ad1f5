-- LIKE needs text
select 1 from auth_logs cross join unnest(metadata) as m where m.status like '5%'
