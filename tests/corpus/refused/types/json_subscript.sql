-- JSON has no subscripts
select json '{"a": 1}'['a'] as a
