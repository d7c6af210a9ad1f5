-- A ratio of two aggregates
select
  timestamp_trunc(function_edge_logs.timestamp, hour) as hour,
  count(*) as calls,
  round(countif(response.status_code >= 500) / count(*), 4) as error_rate
from function_edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
group by hour
order by hour desc
