-- A STRUCT with types is not accepted
select struct<a int64, b string>(1, 'x') as s
