-- A set operation in a CTE
with a as (select id, 'edge' as kind from edge_logs union all select id, 'auth' from auth_logs) select kind, count(*) as n from a group by kind order by kind
