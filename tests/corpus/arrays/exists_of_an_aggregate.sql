-- a query with an aggregate has one row, whatever it reads
select e.id, exists (select count(*) from unnest(b.detectionIds) as d where d > 100) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b order by e.id, e.timestamp
