-- SUBSTRING has commas
select substring(id from 1 for 3) as x from edge_logs
