-- Aggregates of NUMERIC
select sum(x) as s, avg(x) as a, min(x) as m, max(x) as n, count(distinct x) as c, var_samp(x) as v, any_value(round(x)) as y from (select numeric '0.1' as x union all select numeric '0.2' union all select numeric '0.3' union all select null) where x is not null and x < 0.35 and x > 0.05
