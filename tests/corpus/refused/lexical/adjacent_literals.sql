-- Adjacent literals
select 'a' 'b' from edge_logs
