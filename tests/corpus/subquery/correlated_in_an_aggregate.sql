-- a sub-query that reads the outer row inside of an aggregate function
select max((select count(*) from rest_api_logs as r where r.id = e.id)) as n from edge_logs as e
