-- BETWEEN with string literals for timestamps
select id from edge_logs where timestamp between '2026-03-01' and '2026-03-01T12:30:00+02:00' limit 1
