-- The words ARRAY, STRUCT and RANGE are no names
select struct(1 as array) as a, array as b from edge_logs
