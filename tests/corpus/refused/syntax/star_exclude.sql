-- EXCLUDE is written EXCEPT
select * exclude (metadata) from edge_logs
