-- EXPLAIN is no query
explain select id from edge_logs
