-- FULL JOIN keeps rows of both sides
select a.x, b.y from (select x from unnest([1, 2, null]) as x) as a full join (select y from unnest([2, 3, null]) as y) as b on a.x = b.y order by a.x, b.y
