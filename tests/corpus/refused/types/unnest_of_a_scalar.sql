-- UNNEST needs an array
select 1 from edge_logs cross join unnest(id) as x
