-- The first of the rows that belong to an outer row
select a.id,
  (select e.id from edge_logs as e where e.timestamp = a.timestamp order by e.id desc limit 1) as last,
  (select e.id from edge_logs as e where e.timestamp = a.timestamp order by e.id limit 1 offset 1) as second,
  (select e.id from edge_logs as e where e.timestamp = a.timestamp limit 0) as none,
  (select e.event_message from edge_logs as e where e.id = a.id and e.timestamp = a.timestamp) as own,
  (select distinct e.timestamp from edge_logs as e where e.timestamp = a.timestamp) as only_one,
  (select as struct e.id, e.event_message from edge_logs as e where e.timestamp = a.timestamp order by e.id limit 1).id as first,
  (select max(e.id) from edge_logs as e where e.timestamp = a.timestamp limit 1) as largest,
  (select count(*) from auth_logs as e where e.timestamp = a.timestamp having count(*) = 0) as absent
from edge_logs as a
order by a.id
