-- Hints are not accepted
select @{x=1} id from edge_logs
