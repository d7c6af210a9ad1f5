-- POSITION is written STRPOS
select position('a' in id) as x from edge_logs
