-- LIMIT takes a literal
select id from edge_logs limit 5 + 5
