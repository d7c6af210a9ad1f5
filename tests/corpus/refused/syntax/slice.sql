-- An array has no slices
select [1, 2, 3][0:2] as xs
