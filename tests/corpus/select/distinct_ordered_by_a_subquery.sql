-- ORDER BY of SELECT DISTINCT may hold a sub-query
select distinct p.id from database_logs as p order by (select count(*) from edge_logs as e where e.id = p.id), id
