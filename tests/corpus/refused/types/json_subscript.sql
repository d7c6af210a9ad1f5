-- JSON has no subscripts, and a STRUCT has names
select json '{"a": 1}'['a'] as a, struct(1 as a)[0] as b
