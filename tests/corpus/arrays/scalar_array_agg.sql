-- ARRAY_AGG over an array
select e.id, (select array_agg(w order by w limit 2) from unnest(split(e.event_message, ' ')) as w) as y from edge_logs as e order by e.id, e.timestamp
