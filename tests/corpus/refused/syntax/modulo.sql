-- The remainder is a function
select 7 % 3
