-- A JSON literal
select json '{"a": [1, null, "x\\\\y"]}' as j
