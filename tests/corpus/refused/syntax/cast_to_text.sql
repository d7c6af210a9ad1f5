-- TEXT is written STRING
select cast(id as text) as x from edge_logs
