-- What fails on a value compiles
select div(1, 0) as boom
