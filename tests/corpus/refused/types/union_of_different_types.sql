-- Arms whose columns do not fit
select id from edge_logs union all select timestamp from auth_logs
