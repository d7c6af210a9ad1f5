--! redact
-- All columns
select * from pooler_logs order by timestamp desc, id
