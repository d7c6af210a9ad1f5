-- The bare word NULL is no operand
select length(id) + null as x from edge_logs
