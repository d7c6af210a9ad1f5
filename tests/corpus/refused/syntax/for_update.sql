-- FOR UPDATE locks nothing here
select id from edge_logs for update
