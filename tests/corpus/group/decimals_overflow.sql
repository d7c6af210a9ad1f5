-- A sum of NUMERIC that is too large fails
select sum(x) as s from unnest([numeric '99999999999999999999999999999', numeric '99999999999999999999999999999']) as x
