-- An aggregate function that orders its rows by the field of a record that is grouped by
select string_agg(e.id order by r.path, e.id) as ids, r.path as path, array_agg(r.method order by r.method limit 2) as methods
from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r
group by 2, r.method
order by path, ids
