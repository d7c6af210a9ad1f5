-- A condition that reads no column of the groups leaves all of them out or none
select q.n, 'derived' as what
from (select count(*) as n from edge_logs) as q
where (select count(*) > 100000 from auth_logs)
union all
select count(*), 'having' from edge_logs having (select count(*) > 100000 from auth_logs)
union all
select q.n, 'kept'
from (select sum(length(id)) as n from edge_logs where id = 'nobody') as q
where (select count(*) >= 0 from auth_logs)
union all
select count(*), 'total'
from edge_logs as e
group by rollup(e.id)
having (select max(id) = 'nobody' from auth_logs)
order by 2, 1
