-- A STRING is not an integer
select id from edge_logs where id = 5
