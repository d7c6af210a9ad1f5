-- APPROX_QUANTILES with a subscript
select approx_quantiles(r.origin_time, 100)[offset(95)] as p95 from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r
