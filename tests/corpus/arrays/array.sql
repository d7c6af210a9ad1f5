-- ARRAY over an array keeps its order
select e.id, array(select d + 1 from unnest(b.detectionIds) as d where d > 0 and d < 1000000) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
