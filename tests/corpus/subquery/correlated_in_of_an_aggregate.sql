-- IN and NOT IN with the rows of one outer row
select a.id,
  1 in (select count(*) from edge_logs as e where e.timestamp = a.timestamp) as alone
from edge_logs as a
where 0 in (select count(*) from auth_logs as e where e.timestamp = a.timestamp)
  and a.id not in (select e.id from auth_logs as e where e.timestamp = a.timestamp)
  and a.id in (select e.id from edge_logs as e where e.timestamp = a.timestamp order by e.id limit 1)
order by a.id
