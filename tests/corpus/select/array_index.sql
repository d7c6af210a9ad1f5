-- An array index reads the first element or fails
select
  id,
  timestamp,
  metadata[0].parsed[0].user_name as db_user,
  metadata[0].parsed[0].command_tag as command_tag,
  event_message
from database_logs
where metadata[0].parsed[0].command_tag IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE')
order by timestamp desc
limit 12
