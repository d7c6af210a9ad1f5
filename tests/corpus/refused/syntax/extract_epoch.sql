-- EPOCH is a function
select extract(epoch from timestamp) as t from edge_logs
