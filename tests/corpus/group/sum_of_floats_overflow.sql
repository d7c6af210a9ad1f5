-- A sum of FLOAT64 that is too large fails
select sum(x) as s from unnest([1.7e308, 1.7e308]) as x
