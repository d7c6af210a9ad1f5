-- Nor to sort
select 1 as x order by x
