-- Without ORDER BY the newest rows come first
select id, event_message from edge_logs limit 5
