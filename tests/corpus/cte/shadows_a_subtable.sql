-- A CTE named like a sub-table reads it
with edge_logs as (select id from edge_logs where id is not null) select count(*) as n from edge_logs
