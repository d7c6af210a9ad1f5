-- HAVING stands in ANY_VALUE only
select count(id having max timestamp) as a from edge_logs
