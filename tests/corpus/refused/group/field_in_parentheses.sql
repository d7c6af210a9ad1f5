-- GoogleSQL finds a grouped path in an expression only where it is written as a path
select (r).a + 1 as x from (select struct(length(id) as a) as r from edge_logs) group by r.a
