-- Elements have the type that is written, and an array that has one stands for no other
select array<int64>[1.5] as x, array<array<int64>>[[1]] as y, coalesce(array<int64>[], ['a']) as z, struct<order int64>(1) as s
