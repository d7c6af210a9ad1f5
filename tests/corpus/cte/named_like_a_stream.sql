-- A CTE may be called like anything
with edge as (select id from edge_logs) select count(*) as n from edge
