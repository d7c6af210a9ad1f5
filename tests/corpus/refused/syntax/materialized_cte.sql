-- A CTE is not MATERIALIZED
with t as materialized (select 1 as a) select a from t
