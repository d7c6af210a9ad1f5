-- An unknown field, with a suggestion
select m.request[0].pth from edge_logs cross join unnest(metadata) as m
