-- SAFE_OFFSET is NULL past the end
select
  cast(timestamp as datetime) as timestamp,
  event_message
from database_logs
WHERE (
  metadata[SAFE_OFFSET(0)].parsed[SAFE_OFFSET(0)].session_id
    = '65f0c1aa.4d2'
)
order by database_logs.timestamp
limit 100
