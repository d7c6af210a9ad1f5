-- Parameters have names
select id from edge_logs where id = ?
