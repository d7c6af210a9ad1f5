-- HAVING over all rows
select count(*) as n from edge_logs having count(*) > 1000000
