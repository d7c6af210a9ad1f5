-- Equality is one sign
select id from edge_logs where id == 'a'
