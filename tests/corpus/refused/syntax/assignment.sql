-- An alias is not assigned
select x := 1
