-- NOTNULL is written IS NOT NULL
select id from edge_logs where event_message notnull
