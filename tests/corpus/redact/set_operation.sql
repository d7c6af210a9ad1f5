--! redact
-- Arms of a set operation are compared redacted
select event_message from edge_logs union distinct select event_message from database_logs order by 1 limit 5
