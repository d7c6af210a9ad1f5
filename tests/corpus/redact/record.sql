--! redact
-- A record is built anew with its texts redacted
select h from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h
order by id
