-- A stream inside a window
select id from edge_logs qualify row_number() over (order by (select event_message from edge limit 1)) = 1
