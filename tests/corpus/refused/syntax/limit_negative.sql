-- LIMIT is not negative
select id from edge_logs limit -1
