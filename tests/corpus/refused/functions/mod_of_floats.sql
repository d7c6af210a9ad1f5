-- MOD takes a FLOAT64 literal only beside a decimal
select mod(5, 2.5) as x
