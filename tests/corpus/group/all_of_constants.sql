-- GROUP BY ALL of nothing but constants is one group, also of no rows
select 1 as a, 'x' as b from edge_logs group by all union all select abs(-2), 'y' from edge_logs where id = 'none' group by all union all select 3, 'z' from edge_logs group by all having true union all select count(*), 'n' from (select 'x' as c from edge_logs where id = 'none' group by all order by count(*)) order by 1, 2
