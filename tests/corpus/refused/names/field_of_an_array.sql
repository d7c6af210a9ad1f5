-- A field of an array needs UNNEST
select m.request.method from edge_logs cross join unnest(metadata) as m limit 1
