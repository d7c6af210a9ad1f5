--! redact
-- A record that is only looked into
select id from edge_logs as t where exists (select 1 from unnest(t.metadata) as m cross join unnest(m.request) as r where r.path like "/rest%") order by id
