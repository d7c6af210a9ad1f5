-- GROUP BY ALL takes no whole row as a key
select edge_logs, count(*) as n from edge_logs group by all
