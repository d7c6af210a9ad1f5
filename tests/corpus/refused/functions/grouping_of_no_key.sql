-- GROUPING takes a key
select grouping(id) as a, count(*) as n from edge_logs group by event_message
