-- The star of a value stands for new values, and so do fields of a row
select r.*, count(*) as n, (edge_logs).id as i from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r
group by r.path, edge_logs.id
