-- ORDER BY inside of a call takes no column number
select array_agg(id order by 1) as ids from edge_logs
