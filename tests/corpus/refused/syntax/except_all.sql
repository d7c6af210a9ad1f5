-- EXCEPT needs DISTINCT
select id from edge_logs except all select id from auth_logs
