-- The inner condition does not see the outer table
select a.id from edge_logs as a join edge_logs as b join edge_logs as c on a.id = c.id on a.id = b.id
