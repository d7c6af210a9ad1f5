-- FILTER is written COUNTIF
select count(*) filter (where id = 'a') as n from edge_logs
