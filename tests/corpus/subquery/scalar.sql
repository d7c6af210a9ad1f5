-- A scalar sub-query
select id, (select count(*) from auth_logs) as n from edge_logs limit 1
