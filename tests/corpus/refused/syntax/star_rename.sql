-- RENAME is not accepted
select * rename (id as key) from edge_logs
