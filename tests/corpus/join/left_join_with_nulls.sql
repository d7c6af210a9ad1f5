-- NULL keys never match
select a.id, e.id as edge_id from auth_logs as a cross join unnest(a.metadata) as am left join (select el.id, h.cf_ray from edge_logs as el cross join unnest(el.metadata) as m cross join unnest(m.request) as r cross join unnest(r.headers) as h) as e on am.request_id = e.cf_ray order by a.id, edge_id
