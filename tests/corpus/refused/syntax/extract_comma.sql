-- EXTRACT has FROM
select extract(year, timestamp) as t from edge_logs
