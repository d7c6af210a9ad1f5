-- NVL is written IFNULL
select nvl(event_message, '') as x from edge_logs
