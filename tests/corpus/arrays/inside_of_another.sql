-- a sub-query over arrays inside of another
select e.id, array(select (select count(*) from unnest(split(w, '')) as l where l = 'a') from unnest(split(e.event_message, ' ')) as w) as x from edge_logs as e order by e.id, e.timestamp
