-- LIKE with a prefix
select id, pooler_logs.timestamp, event_message, m.project, m.level from pooler_logs cross join unnest(metadata) as m where (m.project like 'proj-a%') order by timestamp desc limit 100
