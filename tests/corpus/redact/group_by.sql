--! redact
-- Groups are those of the redacted values
select h.cf_connecting_ip as ip, count(*) as n from edge_logs cross join unnest(metadata) as m
cross join unnest(m.request) as r cross join unnest(r.headers) as h group by ip order by n desc, ip
