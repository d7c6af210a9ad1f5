-- LIKE over text with wildcards and backslashes
select id, event_message like '%\\%%' as percent, event_message like 'a_a' as one, event_message like '%\\\\%' as slash, event_message like '%\n%' as line, event_message not like 'G%' as n from edge_logs order by id
