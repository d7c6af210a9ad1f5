-- DOUBLE is written FLOAT64
select cast(id as double) as x from edge_logs
