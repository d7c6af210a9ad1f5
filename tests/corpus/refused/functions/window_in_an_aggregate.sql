-- A window function stands in no aggregate
select sum(row_number() over (order by id)) as n from edge_logs
