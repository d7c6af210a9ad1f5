-- A field of a STRUCT written out
select struct(1 as a, struct('x' as c) as b).b.c as x
