-- Behind DISTINCT, ORDER BY takes no aggregate function
select distinct id, count(*) as n from edge_logs group by id order by count(*)
