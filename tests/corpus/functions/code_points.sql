-- Lengths and positions count code points
select event_message, length(event_message) as n, char_length(event_message) as c, byte_length(event_message) as b, strpos(event_message, 'e') as p, reverse(event_message) as r, substr(event_message, -3, 2) as s, left(event_message, 2) as l, right(event_message, 2) as g from edge_logs where event_message is not null order by event_message
