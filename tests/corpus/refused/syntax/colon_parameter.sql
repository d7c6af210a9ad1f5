-- A colon begins no parameter
select id from edge_logs where id = :id
