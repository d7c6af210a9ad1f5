--! unordered
-- Two records of one parent are unnested side by side
select id, function_edge_logs.timestamp, m.version, m.function_id, m.deployment_id, m.execution_id, m.execution_time_ms, request.pathname, request.method, response.status_code, event_message from function_edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  order by timestamp desc
  limit 40
