-- A comma joins a CTE
with a as (select id, timestamp from edge_logs) select a.id, b.id as other from a, auth_logs as b where a.timestamp = b.timestamp order by 1, 2
