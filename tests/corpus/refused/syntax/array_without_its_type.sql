-- ARRAY begins an array only before `(`, `[` or its type
select array event_message[0] from edge_logs
