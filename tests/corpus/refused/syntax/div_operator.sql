-- DIV is a function
select 7 div 2 as x
