-- Groups are made by the fields of a STRUCT
select (id, 1) as s, count(*) as n from edge_logs group by s
