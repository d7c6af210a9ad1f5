-- CROSS JOIN has no condition
select a.id from edge_logs as a cross join auth_logs as b on a.id = b.id
