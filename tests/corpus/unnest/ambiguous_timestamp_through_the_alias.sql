-- ORDER BY timestamp is the output alias
select t.timestamp as timestamp, m.level from pooler_logs as t cross join unnest(t.metadata) as m order by timestamp desc, level
