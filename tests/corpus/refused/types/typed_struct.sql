-- The values of a STRUCT with types fit them
select struct<a int64>('x') as a, struct<int64, int64>(1) as b, struct<a int64, a int64>(1, 2) as c
