-- USING merges several columns
select id, timestamp, a.event_message, b.event_message as other from edge_logs as a left join auth_logs as b using (id, timestamp) order by 1, 2, 3
