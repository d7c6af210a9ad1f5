-- Only a query is accepted
delete from auth_logs where true
