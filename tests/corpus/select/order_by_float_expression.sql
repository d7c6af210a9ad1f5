-- ORDER BY an expression of FLOAT64
select id from storage_logs cross join unnest(metadata) as m order by m.responseTime * 2 desc, id
