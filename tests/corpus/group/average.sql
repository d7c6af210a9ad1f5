-- AVG under an alias that is a function name
select
  request.path as path,
  count(t.id) as count,
  avg(response.origin_time) as avg
from edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
group by
  request.path
order by
  avg desc, path
limit 10
