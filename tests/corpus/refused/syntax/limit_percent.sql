-- LIMIT counts rows
select id from edge_logs limit 10 percent
