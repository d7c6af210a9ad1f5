-- NULL without a type is no array
select e.id, x from edge_logs as e cross join unnest(null) as x where e.id != '' order by e.id
