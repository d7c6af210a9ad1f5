-- Elements are aggregated by row
select e.id, count(d) as n, min(d) as least, max(d) as most from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b cross join unnest(b.detectionIds) as d group by e.id order by e.id
