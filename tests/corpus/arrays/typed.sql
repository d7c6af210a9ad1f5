--! unordered
-- An array can be written with the type of its elements
select id, array<float64>[1, null][safe_offset(0)] as f, array_length(array<string>[]) as n, x.a, x.b from edge_logs cross join unnest(array<struct<a int64, b array<date>>>[(1, [date '2024-01-01']), struct(2, array<date>[])]) as x where id in unnest(array<string>['a', 'b'])
