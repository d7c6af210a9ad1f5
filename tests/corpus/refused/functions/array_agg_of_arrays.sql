-- An array holds no arrays
select array_agg([1]) as x, array_agg(split(id, '-')) over () as y from edge_logs
