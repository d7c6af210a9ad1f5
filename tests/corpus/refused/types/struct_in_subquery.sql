-- A STRUCT is looked for in a list alone
select (id, 1) in (select (id, 2) from database_logs) as x, (id, 1) in unnest([('a', 1)]) as y from edge_logs
