-- A CTE has no list of columns
with t(a) as (select 1) select a from t
