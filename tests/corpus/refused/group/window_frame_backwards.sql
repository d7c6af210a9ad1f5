-- A frame ends behind its start
select count(*) over (order by timestamp rows between current row and 1 preceding) as a,
  count(*) over (order by timestamp rows between 1 following and current row) as b from edge_logs
