--! redact
-- A record that a sub-query takes out as a whole
select r.path from (select metadata as md, id from edge_logs) as t cross join unnest(t.md) as m cross join unnest(m.request) as r order by t.id
