-- A stream cannot be named
select id from edge_logs union all select id from edge
