-- The embedded engine looks for no STRUCT in rows
select (id, 1) in (select (id, 2) from database_logs) as x, (id, 1) in unnest(array<struct<string, int64>>[('a', 1)]) as y from edge_logs
