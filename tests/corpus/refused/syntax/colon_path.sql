-- A colon reads no field
select event_message:path as x from edge_logs
