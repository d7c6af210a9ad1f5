-- Sums of NUMERIC may be larger on the way
select sum(x) as s, avg(x) as a from unnest([numeric '99999999999999999999999999999', numeric '99999999999999999999999999999', numeric '-99999999999999999999999999999']) as x
