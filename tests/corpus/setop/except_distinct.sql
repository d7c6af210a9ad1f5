-- EXCEPT DISTINCT
select id from edge_logs except distinct select id from auth_logs order by id limit 3
