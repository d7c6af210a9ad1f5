-- DISTINCT of expressions
select distinct date(timestamp) as day, id is null as unknown from edge_logs order by 1, 2
