-- Double quotes make a string, which sorts nothing
select id from edge_logs order by "timestamp"
