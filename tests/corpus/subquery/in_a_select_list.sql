-- IN and NOT IN a sub-query as values
select id, id in (select id from auth_logs) as a, id not in (select id from rest_api_logs where id is not null) as b, id in (select id from edge_logs where id = 'none') as c from rest_api_logs order by id
