--! redact
-- Values of a sub-query
select id from edge_logs where event_message in (select event_message from database_logs) order by id
