-- GROUP BY and ORDER BY take aliases
select
  req.method as verb,
  req.path as route,
  count(timestamp) as c
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) as req
group by
  verb,
  route
order by
  c desc, route, verb
limit 100
