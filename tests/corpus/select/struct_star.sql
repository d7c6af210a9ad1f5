-- .* of a STRUCT
select struct(1 as a, 'x' as b).* 
