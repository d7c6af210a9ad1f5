-- An empty array of records is no NULL
select q.id,
  array_length(coalesce(q.list, [])) as filled,
  array_length(if(q.id > 'e-0010', q.list, [])) as chosen,
  array_length(array(select as struct m.level from unnest(p.metadata) as m)) as levels
from (select e.id, if(e.id > 'e-0020', [struct(e.id as a, 1 as b)], null) as list from edge_logs as e) as q
left join pooler_logs as p on p.id = q.id
order by q.id
