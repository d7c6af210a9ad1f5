--! redact
-- A key is redacted inside of what is made of it, and equal in every use
select upper(substr(event_message, 1, 4)) as head, count(*) as c
from edge_logs group by head having max(length(event_message)) > 0 and count(*) > 0 order by head
