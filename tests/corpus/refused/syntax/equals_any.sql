-- = ANY is not accepted
select id from edge_logs where id = any (select id from auth_logs)
