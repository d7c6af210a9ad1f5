-- TRIM has commas
select trim(both 'x' from id) as x from edge_logs
