-- A column without a name cannot be referred to
with c as (select count(*) from edge_logs) select f0_ from c
