-- A condition of a LEFT JOIN on its left side
select a.x, b.y from (select x from unnest([1, 2, 3]) as x) as a left join (select y from unnest([1, 2, 3]) as y) as b on a.x = b.y and a.x > 1 order by a.x
