-- NULLs of two keys
select id, event_message from edge_logs order by event_message asc nulls last, id desc nulls first
