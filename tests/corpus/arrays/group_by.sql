-- GROUP BY over an array is refused
select e.id, array(select count(*) from unnest(b.detectionIds) as d group by d) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
