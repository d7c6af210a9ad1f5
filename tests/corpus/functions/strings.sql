-- Functions of strings
select lower(event_message) as a, substr(event_message, 1, 3) as b, replace(event_message, 'a', 'b') as c, split(event_message, ' ')[safe_offset(0)] as d, concat(id, '-', event_message) as e, id || event_message as f, length(id) as g, starts_with(id, 'x') as h, trim(id) as i, lpad(id, 10, '0') as j, left(id, 2) as k from edge_logs limit 1
