-- Behind DISTINCT, ORDER BY takes no window function
select distinct id from edge_logs order by row_number() over (order by id)
