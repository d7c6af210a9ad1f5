-- A star has a merged column once, first
select * except (metadata) from (select id, metadata from edge_logs) as a join (select id, event_message from edge_logs) as b using (id) order by id, event_message
