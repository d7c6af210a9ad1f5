-- A condition too many
select a.id from edge_logs as a join edge_logs as b join edge_logs as c on b.id = c.id on a.id = b.id on true
