-- EXISTS over an array of any length
select e.id from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b where exists (select 1 from unnest(b.detectionIds) as d where d > 100) order by e.id, e.timestamp
