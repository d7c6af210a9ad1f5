-- A key deep in a record
select r.headers[safe_offset(0)].content_type as kind, count(*) as n from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r group by 1 order by 1
