-- NOT ILIKE of other databases
select id from edge_logs where id not ilike '%a%' 
