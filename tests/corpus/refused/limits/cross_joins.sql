-- Joins of every row with every other are bounded
select count(*) as n from edge_logs a, edge_logs b cross join edge_logs c join edge_logs d on true, unnest([1, 2]) as e, edge_logs f
