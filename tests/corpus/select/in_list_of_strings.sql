-- IN with strings and NULL
select id, id in ('e-0001', null) as known from edge_logs order by id
