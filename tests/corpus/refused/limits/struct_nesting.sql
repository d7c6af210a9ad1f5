-- A STRUCT is nested no deeper than brackets are, in however many steps it is made
with a as (select struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(1 as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as s)
select count(*) as n from (select struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(struct(s as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as x) as s from a)
