-- APPROX_TOP_COUNT gives values with their counts
select approx_top_count(path, 2) as top from (select r.path from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r)
