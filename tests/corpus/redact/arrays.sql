--! redact
-- So are arrays, in their order
select m.request from edge_logs cross join unnest(metadata) as m order by timestamp desc, id limit 3
