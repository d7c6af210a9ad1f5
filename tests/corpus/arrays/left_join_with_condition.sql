-- LEFT JOIN UNNEST with a condition
select e.id, d from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b left join unnest(b.detectionIds) as d on d > 100 order by e.id, e.timestamp, d
