-- Frames that move, on BigQuery only
select id, sum(length(id) / 2) over (order by id rows between 1 preceding and current row) as a, string_agg(id) over (order by id rows between 1 preceding and current row) as b from edge_logs
