-- A single aggregate function in ORDER BY makes no groups
select id from edge_logs order by count(*)
