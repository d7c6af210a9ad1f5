-- Rows and windows ordered by comparisons of computed values
select id, rank() over (order by length(event_message) > 20 desc, not starts_with(id, 'a'), id) as place
from edge_logs
order by ifnull(length(event_message), 0) > 20, exists (select 1 from unnest([id]) as x where x > 'b') desc, id, timestamp
limit 20
