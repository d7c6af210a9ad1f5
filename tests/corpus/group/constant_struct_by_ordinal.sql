-- A constant STRUCT as a key by its number, and a cast to its own type
select struct(1 as a, 'x' as b).a as s, [1, 2] as l, cast((length(id) + 1) as int64) as n, count(*) as c from edge_logs group by 2, (length(id) + 1), 1 order by n
