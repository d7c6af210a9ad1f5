-- EXISTS as a value
select e.id, exists (select 1 from unnest(b.detectionIds) as d where d < 0) as x, not exists (select 1 from unnest(b.detectionIds)) as none from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
