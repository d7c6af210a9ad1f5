-- Fields of a record two levels down are filtered with NOT IN
select database_logs.timestamp, id, event_message, parsed.error_severity from database_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed where (parsed.error_severity not in ('FATAL', 'PANIC', 'ERROR')) order by timestamp desc limit 20
