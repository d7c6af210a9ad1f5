-- An array that is computed does not convert as a whole
select array_concat([1.5], array(select length(id) from edge_logs)) as x
