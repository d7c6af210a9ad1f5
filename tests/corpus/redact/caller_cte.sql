--! redact
-- What a CTE of the caller takes out is redacted there, once
with x as (select id, event_message as e from edge_logs), y as (select e, count(*) as n from x group by e)
select upper(e) as e, n from y order by n desc, e
