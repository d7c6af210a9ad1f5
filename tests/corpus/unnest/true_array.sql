--! nondeterministic LIMIT among rows of equal timestamps
-- An array of any length is unnested
select b.score, d from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.cf) as c cross join unnest(c.botManagement) as b cross join unnest(b.detectionIds) as d limit 5
