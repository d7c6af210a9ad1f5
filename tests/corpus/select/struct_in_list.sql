-- IN over STRUCTs
select id, r.method, (r.method, r.path) in (('GET', '/'), ('POST', null)) as found, (r.method, r.path) not in (('GET', '/'), ('POST', '/x')) as missing, struct(1) in (struct(1)) as one from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r order by id, r.method, r.path
