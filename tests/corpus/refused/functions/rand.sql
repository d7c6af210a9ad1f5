-- RAND is not accepted
select rand() as x
