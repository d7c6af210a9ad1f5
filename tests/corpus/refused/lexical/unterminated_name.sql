-- A quoted name that does not end
select `unterminated from edge_logs
