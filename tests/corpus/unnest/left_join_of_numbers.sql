-- LEFT JOIN UNNEST of an array of numbers
select e.id, d, o from edge_logs as e left join unnest(e.metadata) as m left join unnest(m.request) as r left join unnest(r.cf) as c left join unnest(c.botManagement) as b left join unnest(b.detectionIds) as d with offset as o order by e.id, o
