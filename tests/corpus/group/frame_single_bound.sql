-- A frame with one bound ends at the row
select id, count(*) over (order by id, timestamp rows 1 preceding) as n from edge_logs order by 1, 2
