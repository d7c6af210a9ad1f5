-- A function of another dialect
select quantile(r.origin_time, 0.95) as p95 from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r
