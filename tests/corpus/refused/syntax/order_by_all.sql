-- ORDER BY ALL is not accepted
select id from edge_logs order by all
