-- Nor of LIKE
select id from edge_logs where event_message like null
