-- OFFSET follows LIMIT
select id from edge_logs offset 10
