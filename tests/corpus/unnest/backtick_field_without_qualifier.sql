-- A field of an unnested record is in scope in backticks and without a qualifier
select id, function_edge_logs.timestamp, response.status_code, m.execution_id from function_edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
  where (`function_id` = 'fn-aa11') and (response.status_code between 500 and 599)
  order by timestamp desc
  limit 50
