-- A question mark makes no choice
select true ? 1 : 2 as x
