-- The fields of all columns of one SELECT are bounded
with t as (select struct(1 as a, 1 as b, 1 as c, 1 as d, 1 as e, 1 as f, 1 as g, 1 as h, 1 as i, 1 as j) as s),
  u as (select struct(s as a, s as b, s as c, s as d, s as e, s as f, s as g, s as h, s as i, s as j) as s from t)
select count(*) as n from (select s as a, s as b, s as c, s as d, s as e, s as f, s as g, s as h, s as i, s as j from u)
