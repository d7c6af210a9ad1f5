-- The fields of a STRUCT are bounded together with those inside of them, which a few names can make many
with a as (select struct(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) as s),
  b as (select struct(s, s, s, s, s, s, s, s, s, s) as s from a)
select struct(s, s, s, s, s, s, s, s, s, s) as s from b
