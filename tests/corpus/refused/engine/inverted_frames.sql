-- A frame that ends before it starts
select count(*) over (order by id rows between 1 preceding and 3 preceding) as a, sum(length(id)) over (order by length(id) range between 3 following and 1 following) as b from edge_logs
