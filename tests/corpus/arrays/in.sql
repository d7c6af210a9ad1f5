-- IN a query over an array
select e.id from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b where 2 in (select d from unnest(b.detectionIds) as d where d > 0) order by e.id, e.timestamp
