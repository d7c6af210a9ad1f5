-- A list of values is written with STRUCT
select id from edge_logs where (id, event_message) in (('a', 'b'))
