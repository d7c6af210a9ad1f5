-- Conditions in a row belong to the joins inside out
select a.id, b.id as second, c.id as third from edge_logs as a left join database_logs as b join edge_logs as c on b.id = c.id on a.id = c.id and a.timestamp is distinct from b.timestamp order by a.id, a.timestamp, second, third
