-- Arms with different numbers of columns
select id from edge_logs union all select id, timestamp from auth_logs
