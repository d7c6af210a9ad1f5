-- A join in parentheses whose condition is a column
select a.id, b.ok, c.id as pooled
from edge_logs as a
left join ((select id, id > 'a-0003' as ok from auth_logs) as b full join pooler_logs as c on b.ok) on a.id = b.id
order by a.id, b.ok, pooled
