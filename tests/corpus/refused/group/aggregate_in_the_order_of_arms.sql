-- The order of a set operation sees its columns
select id from edge_logs union all select id from auth_logs order by count(*)
