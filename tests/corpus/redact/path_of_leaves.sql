--! redact
-- Paths are gone along as they are; the leaf at their end is redacted
select r.path, h.cf_connecting_ip as ip, s.status_code from edge_logs
cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h
cross join unnest(m.response) as s order by timestamp desc, id limit 20
