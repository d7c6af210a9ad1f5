-- Different operators in parentheses
(select id from edge_logs union all select id from auth_logs) except distinct select id from pooler_logs order by id
