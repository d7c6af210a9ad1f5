-- NOT binds tighter than AND, AND tighter than OR
select
  cast(timestamp as datetime) as timestamp,
  id,
  event_message
from database_logs
where
  (regexp_contains(event_message, 'connection') and regexp_contains(event_message, 'authorized'))
  or not regexp_contains(event_message, 'checkpoint|connection')
