-- The arrays of ARRAY_CONCAT hold one type
select array_concat([1], ['a']) as x, array_concat(split(id, ','), [1]) as y from edge_logs
