-- A whole row as a value
select t from rest_api_logs as t limit 1
