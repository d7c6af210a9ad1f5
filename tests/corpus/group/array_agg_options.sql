-- ARRAY_AGG with IGNORE NULLS, DISTINCT, ORDER BY and LIMIT
select array_agg(m.level ignore nulls order by m.level) as a, array_agg(distinct m.level ignore nulls order by m.level) as b, array_agg(m.level ignore nulls order by m.level desc limit 2) as c from auth_logs cross join unnest(metadata) as m
