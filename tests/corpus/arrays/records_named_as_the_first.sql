--! unordered
-- An array of STRUCTs takes the field names of another one that it meets, and a STRUCT also types
select id, if(id > 'b', [struct('x' as k, 1 as v)], a) as a, if(id > 'b', struct(2.5 as p, 'y' as q), s) as s, if(id > 'b', struct('z', 0.5 as q), a[safe_offset(1)]) as e from (select id, [struct(id as x, 2 as y)] as a, if(id > 'a', struct(length(id) as n, id as t), null) as s from edge_logs)
