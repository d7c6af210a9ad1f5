-- NOT EXISTS beside another condition
select e.id from edge_logs as e where not exists (select 1 from auth_logs as a where a.timestamp = e.timestamp) or e.id like '%1' order by e.id
