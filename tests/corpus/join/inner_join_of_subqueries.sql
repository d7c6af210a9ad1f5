-- Sub-queries on both sides
select a.id, b.n from (select id, timestamp from edge_logs) as a inner join (select timestamp, count(*) as n from auth_logs group by timestamp) as b on a.timestamp = b.timestamp order by 1
