-- IIF is written IF
select iif(true, 1, 2) as x
