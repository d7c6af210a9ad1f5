-- Redaction reaches the fields of a STRUCT that is compared
--! redact
select id, (id, r.path) = (id, '/') as same from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r order by id, r.path
