-- Dollar quotes
select $$ ' $$ , event_message from edge_logs
