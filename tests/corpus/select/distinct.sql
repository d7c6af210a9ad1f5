-- SELECT DISTINCT with ORDER BY an output
select distinct m.level from pooler_logs cross join unnest(metadata) as m order by level
