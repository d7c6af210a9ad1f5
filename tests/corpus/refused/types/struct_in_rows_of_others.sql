-- In a sub-query nothing converts, and what IN compares can be compared
select (id, 1) in (select (id, 2.5) from database_logs) as x, (id, [1]) in (select (id, [1]) from database_logs) as y, (id, 1) is distinct from (id, 1, 2) as z, (id, 1) is distinct from 1 as u from edge_logs
