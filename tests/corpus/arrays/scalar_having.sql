-- HAVING decides whether there is a row
select e.id, (select max(d) from unnest(b.detectionIds) as d having count(*) > 2) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
