-- LEFT JOIN inside of a sub-query over arrays
select e.id, array(select concat(w, ':', ifnull(l, '-')) from unnest(split(e.event_message, ' ')) as w left join unnest(split(w, 'a')) as l on length(l) > 3) as x from edge_logs as e order by e.id, e.timestamp
