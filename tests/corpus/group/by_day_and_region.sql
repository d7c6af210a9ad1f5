-- Two keys, one of them truncated
select
  timestamp_trunc(timestamp, day) as timestamp,
  h.x_sb_edge_region as region,
  count(*) as count
from
  function_edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as r
  cross join unnest(r.headers) as h
  WHERE m.execution_time_ms >= 10 AND h.x_sb_edge_region IN ('eu-west-1','us-east-1')
  AND h.x_sb_edge_region is not null
group by
  timestamp,
  region
order by
  timestamp desc, region
