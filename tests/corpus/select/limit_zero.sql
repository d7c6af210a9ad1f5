-- LIMIT 0
select id from edge_logs limit 0
