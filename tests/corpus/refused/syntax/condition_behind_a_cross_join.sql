-- A condition is not that of a join further left
select a.id from edge_logs as a join edge_logs as b join edge_logs as c on b.id = c.id cross join edge_logs as d on a.id = b.id
