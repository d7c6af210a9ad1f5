-- A frame that looks ahead
select id, count(*) over (order by id, timestamp rows between current row and 2 following) as n from edge_logs order by 1, 2
