-- WHERE needs a BOOL
select id from edge_logs where id
