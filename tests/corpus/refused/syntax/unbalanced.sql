-- A bracket is not closed
select (1 + 2 as x
