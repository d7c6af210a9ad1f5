-- STRING_AGG cannot take a row back
select id, string_agg(id) over (order by timestamp rows between 1 preceding and current row) as s from edge_logs order by timestamp, id
