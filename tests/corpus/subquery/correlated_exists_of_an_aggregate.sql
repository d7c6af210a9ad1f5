-- An aggregate over no row is a row, which HAVING may leave out
select a.id
from edge_logs as a
where exists (select count(*) from auth_logs as e where e.timestamp = a.timestamp)
  and exists (select count(*) from edge_logs as e where e.timestamp = a.timestamp having count(*) = 1)
  and not exists (select max(e.id) from auth_logs as e where e.timestamp = a.timestamp having max(e.id) > 'a')
order by a.id
