-- A STRUCT is looked for in an array that is written out as in a list
select n, (n, 'b') in unnest(array<struct<a float64, b string>>[(2.5, 'b'), (2, 'b')]) as d, (n, 'a') in unnest([(1, 'a'), (2.5, 'b'), (3, null)]) as a, (n, 'a') not in unnest([struct(1 as x, 'a' as y), null]) as b, (n, 'a') in unnest([]) as c from unnest([1, 2, 3]) as n order by n
