--! redact
-- Columns of the outer query
select a.id, (select count(*) from auth_logs as b where b.event_message = a.event_message) as n from edge_logs as a order by a.id
