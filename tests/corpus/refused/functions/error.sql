-- ERROR echoes values
select error(event_message) from edge_logs
