-- CHARINDEX is written STRPOS
select charindex('a', id) as n from edge_logs
