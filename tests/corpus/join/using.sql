-- USING merges its columns
select id, a.event_message, b.event_message as other from auth_logs as a join edge_logs as b using (id) limit 5
