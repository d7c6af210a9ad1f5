-- SELECT DISTINCT is ordered by an expression over its columns
select distinct m.level from pooler_logs cross join unnest(metadata) as m order by length(m.level) desc, upper(level), level
