-- ISNULL is written IS NULL
select id from edge_logs where event_message isnull
