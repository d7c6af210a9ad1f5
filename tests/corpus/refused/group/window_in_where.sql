-- A window function in WHERE
select id from edge_logs where row_number() over (order by id) = 1
