-- Columns without a name are numbered in the result
with c as (select count(*), max(id) from edge_logs) select *, 3 from c
