-- Nor does a tilde with a star
select id from edge_logs where event_message ~* 'x.*'
