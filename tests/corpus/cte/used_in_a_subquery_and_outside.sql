-- A CTE in FROM and in a sub-query
with a as (select id, timestamp from edge_logs) select count(*) as n from a where timestamp = (select max(timestamp) from a)
