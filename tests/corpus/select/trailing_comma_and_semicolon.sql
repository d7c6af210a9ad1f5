-- A trailing comma before FROM and a trailing semicolon
select id, event_message, from edge_logs limit 1;
