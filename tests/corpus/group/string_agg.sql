-- STRING_AGG with an order
select string_agg(distinct m.level, ', ' order by m.level) as levels from pooler_logs cross join unnest(metadata) as m
