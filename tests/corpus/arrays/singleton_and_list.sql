-- a list inside of a record that holds one element
select e.id, exists (select 1 from unnest(e.metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b cross join unnest(b.detectionIds) as d where d = 2) as x from edge_logs as e order by e.id, e.timestamp
