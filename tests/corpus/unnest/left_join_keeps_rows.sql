-- LEFT JOIN UNNEST keeps rows without an element, and inner joins do not
select e.id, m is null as no_metadata, r.method, h.cf_ray from edge_logs as e left join unnest(e.metadata) as m left join unnest(m.request) as r left join unnest(r.headers) as h order by e.id, h.cf_ray
