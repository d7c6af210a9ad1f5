-- LEFT JOIN UNNEST with a condition on the offset
select e.id, d, o from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b left join unnest(b.detectionIds) as d with offset as o on o > 0 and d > b.score order by e.id, e.timestamp, o, d
