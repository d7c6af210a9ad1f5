-- BETWEEN needs AND
select 1 between 2 as x
