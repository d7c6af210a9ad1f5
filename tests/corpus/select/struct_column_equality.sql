-- A record of a log compared with a constant, and with itself
select id, (select as struct r.method, r.path) is null as none, h = (r.method, r.path) as same, h != ('GET', '/') as other from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest([struct('GET' as a, r.path as b), null]) as h order by id, r.method, r.path, h is null, h.a, h.b
