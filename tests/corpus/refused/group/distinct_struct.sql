-- DISTINCT takes the fields of a STRUCT
select distinct (id, 1) as s, [1] as a from edge_logs
