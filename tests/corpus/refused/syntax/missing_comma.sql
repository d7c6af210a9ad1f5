-- A comma is missing
select id timestamp event_message from edge_logs
