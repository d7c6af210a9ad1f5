-- The fields of all columns of one SELECT are bounded
with a as (select struct(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) as s),
  b as (select struct(s, s, s, s, s, s, s, s, s, s) as s from a)
select s as s0, s as s1, s as s2, s as s3, s as s4, s as s5, s as s6, s as s7, s as s8, s as s9 from b
