-- GROUP BY () makes one group of all rows
select count(*) as n, max(id) as last from edge_logs group by ()
