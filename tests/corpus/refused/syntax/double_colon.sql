-- A cast with two colons
select id::int64 from edge_logs
