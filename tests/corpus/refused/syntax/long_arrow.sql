-- Nor does a long one
select event_message->>'path' as x from edge_logs
