-- The outer row inside of the FROM of a sub-query
select a.id
from edge_logs as a
where exists (select 1 from (select count(*) as n from auth_logs as e where e.timestamp = a.timestamp) as q where q.n = 0)
order by a.id
