-- An aggregate function that orders its rows by the field of a record that is grouped by
select string_agg(e.id order by r.path) as ids, r.path, concat(r.method, '!') as shout, array_agg(r.method order by r.method limit 2) as methods
from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r
group by r.path, r.method
order by r.path, r.method, ids
