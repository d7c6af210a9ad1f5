-- A table alias names no columns
select a from (select 1) as t(a)
