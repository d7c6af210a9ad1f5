-- A condition on FLOAT64
select id from storage_logs cross join unnest(metadata) as m where m.responseTime > 1 or m.executionTime != 0 order by id
