-- EXISTS of a query of its own as a value
select exists (select 1 from edge_logs as e group by e.id having count(*) > 100) as x, exists (select distinct e.id from edge_logs as e limit 1) as y
