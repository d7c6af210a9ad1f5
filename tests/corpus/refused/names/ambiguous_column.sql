-- A name of two tables
select timestamp from auth_logs cross join unnest(metadata) as m limit 1
