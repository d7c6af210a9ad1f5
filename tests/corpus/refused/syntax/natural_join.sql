-- NATURAL JOIN is not accepted
select id from edge_logs natural join auth_logs
