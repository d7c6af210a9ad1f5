-- The embedded engine looks for no STRUCT in rows
select (id, 1) in (select (id, 2) from database_logs) as x, (id, 1) in unnest(array(select (id, 2) from database_logs)) as y from edge_logs
