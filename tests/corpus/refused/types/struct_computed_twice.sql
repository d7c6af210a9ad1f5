-- A STRUCT that would be computed once for each field
select (select as struct id, 1 as n) = ('e1', 1) as x, case (lower(id), 1) when ('a', 1) then 1 when ('b', 1) then 2 end as y from edge_logs
