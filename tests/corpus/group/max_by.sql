-- MAX_BY and MIN_BY take the value at the greatest and the least of another
select k, max_by(x, y) as a, min_by(x, y) as b from (select 1 as k, 'a' as x, 3 as y union all select 1, 'b', 5 union all select 1, 'c', null union all select 2, null, 9 union all select 2, 'd', 1 union all select 3, 'e', null) group by k order by k
