-- FETCH is written LIMIT
select id from edge_logs fetch first 10 rows only
