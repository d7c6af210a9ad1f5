-- A list in parentheses is no value
select (1, 2) as x
