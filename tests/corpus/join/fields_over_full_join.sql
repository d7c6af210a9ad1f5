-- Fields of a record beside an outer join with an empty side
with none as (select id from edge_logs where is_inf(1.5)) select r.path, n.id, e.id as eid from (select id, m.request[safe_offset(0)] as r from edge_logs cross join unnest(metadata) as m) as e full join none as n on e.id = n.id order by eid, path
