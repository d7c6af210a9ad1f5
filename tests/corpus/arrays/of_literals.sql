-- an array of literals whose elements are compared with the row
select e.id, array(select x from unnest(['a', 'b', 'e']) as x where strpos(e.event_message, x) > 0) as x from edge_logs as e where exists (select 1 from unnest(['get', 'post', 'id']) as w where lower(e.event_message) like concat('%', w, '%')) order by e.id, e.timestamp
