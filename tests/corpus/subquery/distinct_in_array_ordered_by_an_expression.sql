-- ARRAY of a SELECT DISTINCT with an order by an expression
select array(select distinct id from edge_logs order by reverse(id)) as ids
