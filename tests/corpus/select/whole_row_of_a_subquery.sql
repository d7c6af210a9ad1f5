-- A row of a sub-query as a value
select t from (select id, timestamp from edge_logs) as t order by t.id, t.timestamp
