-- a scalar sub-query with several rows fails
select (select d from unnest(b.detectionIds) as d) as x from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b
