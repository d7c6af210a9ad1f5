-- A window with a frame
select id, count(*) over (order by timestamp rows between 2 preceding and current row) as recent from edge_logs order by timestamp limit 5
