-- IN over lists in parentheses
select id from edge_logs where (id, event_message) in (('a', 'b'), ('e1', null), ('c', 'd')) order by id
