--! unordered
-- NULL is text to the functions of JSON
select id, json_query(null, '$.a') as a, json_extract(null, '$.a') as b, json_query_array(null, '$.a') as c, json_value(null, '$.a') as d from edge_logs
