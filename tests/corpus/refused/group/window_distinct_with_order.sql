-- DISTINCT in a window function goes without ORDER BY and frame
select sum(distinct length(id)) over (order by id) as n from edge_logs
