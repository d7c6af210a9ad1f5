-- Two sub-queries without names in aggregates of one kind
select max((select count(*) from auth_logs)) as auths, max((select count(*) from edge_logs)) as edges from edge_logs
