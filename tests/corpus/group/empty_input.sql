-- Aggregates of no rows
select count(*) as n, countif(id = 'x') as c, sum(length(id)) as s, avg(length(id)) as a, min(id) as mn, array_agg(id) as ids, string_agg(id) as text, logical_or(id = 'x') as o from edge_logs where id = 'no such id'
