-- NULL IN a sub-query is NULL
select id, id in (select id from rest_api_logs where id is not null) as found from rest_api_logs order by id
