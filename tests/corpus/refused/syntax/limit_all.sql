-- LIMIT takes a number
select id from edge_logs limit all
