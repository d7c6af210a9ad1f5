-- CASE over LOWER
select
  svl.id,
  svl.timestamp as timestamp,
  'pooler' as log_type,
  CASE
      WHEN LOWER(sm.level) = 'error' THEN 'error'
      WHEN LOWER(sm.level) = 'warn' OR LOWER(sm.level) = 'warning' THEN 'warning'
      ELSE 'success'
  END as level
from pooler_logs as svl
cross join unnest(metadata) as sm
where LOWER(sm.level) NOT IN ('debug', 'notice')
order by svl.timestamp, svl.id
