--! redact
-- A key is redacted inside of what is made of it, and equal in every use
select upper(substr(event_message, 1, 4)) as head, length(upper(substr(event_message, 1, 4))) as n, count(*) as c
from edge_logs group by upper(substr(event_message, 1, 4)) having count(*) > 0 order by head
