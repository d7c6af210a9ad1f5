-- Two ordinals, ordered by a third
select request.path as path, request.method as method, count(*) as hits from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as request group by 1, 2 order by 3 desc, 1, 2 limit 20
