-- FLOAT is written FLOAT64
select cast(id as float) as x from edge_logs
