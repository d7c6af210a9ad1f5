-- ARRAY of the first rows of a sub-table
select array(select e.id from edge_logs as e order by e.timestamp desc, e.id limit 3) as newest, array(select distinct length(e.id) from edge_logs as e order by 1) as lengths, array(select e.id from edge_logs as e where e.id = 'nobody') as none
