-- RLIKE has a GoogleSQL form
select id from edge_logs where event_message rlike 'x.*'
