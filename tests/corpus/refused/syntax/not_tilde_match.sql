-- Nor an exclamation mark with a tilde
select id from edge_logs where event_message !~ 'x.*'
