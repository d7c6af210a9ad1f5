-- VARCHAR is written STRING
select cast(id as varchar) as x from edge_logs
