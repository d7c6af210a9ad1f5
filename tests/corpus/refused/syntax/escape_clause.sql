-- LIKE has no ESCAPE
select id from edge_logs where event_message like '100!%' escape '!'
