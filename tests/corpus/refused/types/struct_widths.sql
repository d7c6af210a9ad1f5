-- STRUCTs of different numbers of fields
select (1, 2) = (1, 2, 3) as x
