-- Double quotes make a string, and a commented-out condition counts for nothing
select
  t.timestamp,
  t.id,
  event_message
from auth_logs as t
where
  regexp_contains(event_message,"level.{3}(warning|error|fatal)")
  -- and regexp_contains(event_message,"path.{3}(/verify|/otp)")
order by t.timestamp desc
limit 100
