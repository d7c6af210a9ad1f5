-- HAVING of a query without GROUP BY needs an aggregate function in the select list
select 1 as one from edge_logs having count(*) > 1
