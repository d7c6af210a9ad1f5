-- OFFSET stands after LIMIT
select id from edge_logs offset 10 limit 5
