-- An array path of a CTE's alias
with a as (select id, metadata as m from edge_logs) select x.id, y.request[safe_offset(0)].path as path from a as x, x.m as y order by 1, 2
