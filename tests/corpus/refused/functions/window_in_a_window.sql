-- A window function stands in no other
select sum(row_number() over (order by id)) over () as n from edge_logs
