-- STRING_AGG over all rows so far
select id, length(string_agg('x') over (order by id rows between unbounded preceding and current row)) as s from edge_logs order by id, s
