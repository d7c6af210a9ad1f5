-- ISNULL is written IFNULL
select isnull(event_message, '') as x from edge_logs
