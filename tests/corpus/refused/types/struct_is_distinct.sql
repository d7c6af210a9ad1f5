-- IS DISTINCT FROM takes no STRUCT
select (id, 1) is distinct from ('a', 1) as x from edge_logs
