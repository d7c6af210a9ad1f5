-- A TIMESTAMP is not an integer of microseconds
select id from edge_logs where timestamp > 1787947000000000
