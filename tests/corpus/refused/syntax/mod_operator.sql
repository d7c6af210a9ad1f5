-- MOD is a function
select 7 mod 2 as x
