-- ARRAY of STRUCTs with the offset
select e.id, array(select as struct d, o from unnest(b.detectionIds) as d with offset as o where o > 0) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
