-- A chain of || is one call
select id || ',' || coalesce(event_message, '') || (',' || id) as a, [1] || [2] || [3, 4] as b from edge_logs order by timestamp, id
