--! unordered
-- STRUCTs that meet have the field names of the first
select id, k, if(id > 'b', struct(1 as a, 2.5 as b), struct(0.5 as c, 2 as d)) as s, array_concat([struct(1 as p)], [struct(2 as q)]) as r from edge_logs cross join unnest([struct(1 as k), struct(2.5 as l), struct(3)])
