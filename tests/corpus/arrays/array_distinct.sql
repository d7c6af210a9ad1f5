-- ARRAY of DISTINCT elements, sorted
select e.id, array(select distinct d from unnest(b.detectionIds) as d order by d desc) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
