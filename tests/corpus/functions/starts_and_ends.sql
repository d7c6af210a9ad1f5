-- STARTS_WITH, ENDS_WITH and REPLACE with empty text
select id, starts_with(event_message, '') as a, ends_with(event_message, 'z') as b, replace(event_message, '', 'x') as c, replace(event_message, 'a', '') as d, strpos(event_message, '') as e, instr(event_message, 'a', -1) as f from edge_logs order by id
