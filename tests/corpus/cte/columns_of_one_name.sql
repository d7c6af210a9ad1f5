--! unordered
-- In a CTE of a caller a column without a name may stand beside one that is called so, and a name twice
with c as (select id, 1, 2 as f0_, id from edge_logs) select f0_ from c
