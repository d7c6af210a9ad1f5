-- WITH OFFSET over an array of at most one element
select id, o from edge_logs cross join unnest(metadata) as m with offset as o limit 5
