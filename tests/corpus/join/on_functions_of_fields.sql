-- Functions of record fields as the keys of a join
select a.id, e.id as edge_id from auth_logs as a cross join unnest(a.metadata) as m
join edge_logs as e on upper(m.request_id) = upper(e.id) order by a.id, edge_id
