-- UNION BY NAME is not accepted
select id from edge_logs union all by name select id from auth_logs
