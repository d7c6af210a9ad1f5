-- FROM stands once
select id from edge_logs from auth_logs
