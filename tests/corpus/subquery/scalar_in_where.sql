-- A scalar sub-query in WHERE
select id from edge_logs where timestamp = (select max(timestamp) from edge_logs) order by id
