-- LIMIT takes one number
select id from edge_logs limit 5, 10
