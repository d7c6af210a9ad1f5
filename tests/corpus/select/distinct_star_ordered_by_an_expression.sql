-- SELECT DISTINCT * ordered by an expression
select distinct * from (select id, timestamp from edge_logs) order by timestamp_trunc(timestamp, hour) desc, id, timestamp
