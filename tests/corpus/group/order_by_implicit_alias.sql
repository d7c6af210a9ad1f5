-- ORDER BY takes names that were not written out
select
  p.error_severity,
  p.user_name,
  count(t.timestamp) as count
from database_logs as t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as p
where
  p.error_severity in ('ERROR', 'FATAL', 'PANIC', 'WARNING')
group by
  p.error_severity,
  p.user_name
order by
  count desc, user_name, error_severity
limit 100
