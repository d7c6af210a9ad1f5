-- IS tests
select id from auth_logs cross join unnest(metadata) as m where m.metering is true and m.error is null and m.status is not null and (m.level = 'x') is not false limit 1
