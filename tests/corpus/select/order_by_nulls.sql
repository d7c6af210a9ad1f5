-- NULLS FIRST and LAST
select event_message from edge_logs order by event_message desc nulls first, id
