-- STRING_AGG over an array
select e.id, (select string_agg(w, '+' order by w desc limit 3) from unnest(split(e.event_message, ' ')) as w) as x, (select string_agg(w, '-') from unnest(split(e.event_message, ' ')) as w where w like 'zz%') as y from edge_logs as e order by e.id, e.timestamp
