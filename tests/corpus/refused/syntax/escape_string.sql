-- E marks no literal
select e'a\n' as s
