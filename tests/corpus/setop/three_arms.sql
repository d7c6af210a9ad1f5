-- Three arms of one operator
select id from edge_logs union all select id from auth_logs union all select id from pooler_logs order by id
