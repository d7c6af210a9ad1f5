-- Rows of a correlated EXISTS are counted off for each outer row
select a.id,
  exists (select e.id from edge_logs as e where e.timestamp = a.timestamp order by e.id limit 3 offset 1) as several
from edge_logs as a
where exists (select 1 from edge_logs as e where e.timestamp = a.timestamp limit 3 offset 1)
   or not exists (select 1 from auth_logs as e where e.timestamp = a.timestamp limit 5 offset 1)
order by a.id
