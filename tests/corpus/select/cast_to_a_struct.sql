--! unordered
-- A STRUCT is cast field by field
select cast(s as struct<a string, b float64>) as s, cast((id, null) as struct<string, d date>) as l from (select id, struct(length(id) as n, length(id) as m) as s from edge_logs)
