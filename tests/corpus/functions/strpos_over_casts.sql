-- STRPOS over values cast to STRING
select id, timestamp, request.path, response.status_code
from edge_logs
cross join unnest(metadata) as m
cross join unnest(m.request) as request
cross join unnest(m.response) as response
where (strpos(lower(cast(response.status_code as string)), '50') > 0
  or strpos(lower(cast(request.path as string)), '50') > 0)
order by timestamp desc
limit 10
