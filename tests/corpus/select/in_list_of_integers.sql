-- IN over integers
select
  cast(timestamp as datetime) as timestamp,
  r.status_code,
  event_message
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as r
where
  r.status_code in (500, 502, 503, 504)
order by
  timestamp asc
limit 100
