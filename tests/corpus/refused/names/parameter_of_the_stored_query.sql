-- The stored query's parameters are not the caller's
select @project from edge_logs
