-- EXCEPT and REPLACE together
select * except (timestamp) replace (lower(id) as id) from (select timestamp, id, event_message from edge_logs) order by 1, 2
