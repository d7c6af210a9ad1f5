-- ARRAY over what a function splits
select e.id, array(select upper(w) from unnest(split(e.event_message, ' ')) as w where length(w) > 2) as x from edge_logs as e order by e.id, e.timestamp
