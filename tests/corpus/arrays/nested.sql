-- an array inside of another
select e.id, array(select concat(w, '/', l) from unnest(split(e.event_message, ' ')) as w cross join unnest(split(w, '-')) as l where length(l) > 1) as x, (select count(*) from unnest(split(e.event_message, ' ')) as w, unnest(split(w, 'a')) as l with offset as o where o > 0) as n from edge_logs as e order by e.id, e.timestamp
