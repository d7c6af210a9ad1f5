-- Beside conditions in a row there is no comma
select a.id from edge_logs as o, edge_logs as a join edge_logs as b join edge_logs as c on b.id = c.id on a.id = b.id
