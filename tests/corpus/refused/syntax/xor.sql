-- XOR is no operator
select id from edge_logs where id = 'a' xor event_message = 'b'
