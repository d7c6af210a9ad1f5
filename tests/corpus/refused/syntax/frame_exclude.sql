-- EXCLUDE in a frame is not accepted
select count(*) over (order by id rows between 1 preceding and current row exclude ties) as n from edge_logs
