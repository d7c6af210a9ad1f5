-- EXISTS over a sub-table as a value
select r.id, exists (select 1 from edge_logs as e where e.id = r.id) as x, not exists (select 1 from edge_logs as e where e.id = r.id and e.timestamp > '2026-01-01') as y from rest_api_logs as r order by r.id, r.timestamp
