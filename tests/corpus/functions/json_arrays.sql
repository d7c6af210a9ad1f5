-- JSON_VALUE_ARRAY and JSON_QUERY_ARRAY
select id, json_query_array(event_message, '$.list') as a, json_value_array(event_message, '$.list') as b, array_length(json_query_array(event_message)) as n from auth_logs order by id
