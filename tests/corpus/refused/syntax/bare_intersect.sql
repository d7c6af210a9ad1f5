-- INTERSECT needs DISTINCT
select id from edge_logs intersect select id from auth_logs
