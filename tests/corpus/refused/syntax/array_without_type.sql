-- ARRAY as a name
select array < 1 as a, struct(1 as interval) as b from edge_logs
