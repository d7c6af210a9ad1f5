-- ORDER BY a number and an alias
select id, timestamp as t from edge_logs order by 2 desc, id asc
