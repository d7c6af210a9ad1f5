-- N marks no literal
select n'abc' as s
