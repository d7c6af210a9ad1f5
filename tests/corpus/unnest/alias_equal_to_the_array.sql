--! unordered
-- An alias equal to the array column it unnests means the element
select id, auth_logs.timestamp, metadata.path, metadata.level, metadata.status, metadata.error, metadata.msg as msg, event_message from auth_logs
  cross join unnest(metadata) as metadata
  
  order by timestamp desc
  limit 60
