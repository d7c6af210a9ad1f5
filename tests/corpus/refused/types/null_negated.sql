-- Nor of NOT
select id from edge_logs where not null
