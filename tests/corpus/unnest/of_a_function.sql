-- UNNEST of what a function returns
select t.id, part from edge_logs as t cross join unnest(split(t.id, '-')) as part with offset as place order by 1, place
