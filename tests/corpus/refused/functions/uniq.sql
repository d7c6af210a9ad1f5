-- UNIQ is written COUNT(DISTINCT x)
select uniq(id) as n from edge_logs
