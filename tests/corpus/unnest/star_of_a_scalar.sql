-- A star of an unnested scalar is its alias
select * from unnest([3, 1, 2]) as x order by x
