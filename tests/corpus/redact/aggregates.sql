--! redact
-- The arguments of aggregate and window functions
select id, max(event_message) over (partition by id order by event_message) as m,
  first_value(event_message) over (order by event_message, id) as f
from edge_logs qualify row_number() over (partition by event_message order by id) = 1 order by id
