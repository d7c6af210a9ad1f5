-- A raw string keeps its backslashes
select count(*) as n from database_logs where regexp_contains(event_message, r'UNION\s+ALL|OR\s+\d+\s*=\s*\d+') or event_message like 'AUDIT:%,WRITE,%' or event_message like 'AUDIT:%,DDL,%'
