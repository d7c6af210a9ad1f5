-- STRUCTs have no order
select (1, 2) < (1, 3) as x
