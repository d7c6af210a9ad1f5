-- Not even with its table
select s.f0_ as x from (select id, upper(id) from edge_logs) as s
