-- Integer overflow fails
select 9223372036854775807 + length(id) as boom from edge_logs where id = 'e-0007'
