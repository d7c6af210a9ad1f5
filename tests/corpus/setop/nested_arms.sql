-- Parenthesised arms with limits of their own
(select id from edge_logs order by id limit 2) union all (select id from rest_api_logs where id is not null order by id desc limit 2) order by id
