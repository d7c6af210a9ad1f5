-- Two ampersands are no AND
select id from edge_logs where id = 'a' && event_message = 'b'
