-- An OFFSET that is too large
select id from edge_logs limit 1 offset 100001
