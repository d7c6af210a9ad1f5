-- IN UNNEST of a column
select e.id, 2 in unnest(b.detectionIds) as x, b.score not in unnest(b.detectionIds) as y from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b where 1 not in unnest(b.detectionIds) order by e.id, e.timestamp
