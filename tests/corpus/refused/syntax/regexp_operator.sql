-- REGEXP is no operator
select id from edge_logs where event_message regexp 'x.*'
