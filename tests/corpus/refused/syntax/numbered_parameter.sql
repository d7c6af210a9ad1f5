-- A dollar begins no parameter
select id from edge_logs where id = $1
