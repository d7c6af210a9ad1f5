-- A distance of RANGE counts from one number
select count(*) over (order by id, length(id) range between 1 preceding and current row) as a,
  count(*) over (order by timestamp range between 1 preceding and current row) as b from edge_logs
