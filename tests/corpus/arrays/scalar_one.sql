-- the only element that a condition leaves
select e.id, (select d from unnest(b.detectionIds) as d with offset as o where o = 1) as second, (select d from unnest(b.detectionIds) as d order by d limit 1) as least from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
