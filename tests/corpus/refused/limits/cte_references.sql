-- One CTE is read only so often
with t as (select 1 as n)
select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t union all select n from t
