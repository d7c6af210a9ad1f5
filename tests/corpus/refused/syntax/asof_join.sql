-- ASOF JOIN is of another database
select a.id from edge_logs as a asof join auth_logs as b on a.id = b.id
