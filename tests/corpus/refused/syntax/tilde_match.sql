-- A tilde matches no pattern
select id from edge_logs where event_message ~ 'x.*'
