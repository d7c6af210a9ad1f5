-- Nothing equals NULL
select id from edge_logs where event_message = null
