-- Nor to group
select 1 as x group by x
