-- Strings order by code point
select event_message, event_message < 'a' as lower from edge_logs where event_message is not null order by event_message
