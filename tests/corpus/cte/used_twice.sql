-- A CTE that is read twice
with x as (select id, timestamp from edge_logs) select count(*) as n from x as a join x as b on a.id = b.id
