-- The elements of ARRAY_CONCAT get one type, whatever the order
select array_concat([1.5], [2], []) as floats, array_concat([], ['a']) as texts
