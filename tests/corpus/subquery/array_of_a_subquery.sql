-- ARRAY of a sub-query
select array(select id from edge_logs where id like 'e-000%' order by id) as ids
