-- A row as JSON text
select to_json_string(t) as json from (select id from edge_logs) as t order by json
