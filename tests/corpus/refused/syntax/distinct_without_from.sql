-- Nor to drop
select distinct 1 as x
