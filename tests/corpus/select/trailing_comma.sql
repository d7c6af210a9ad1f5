-- A comma before FROM
select id, timestamp, from edge_logs order by 1, 2
