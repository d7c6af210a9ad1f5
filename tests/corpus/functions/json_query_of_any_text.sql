-- JSON_QUERY keeps JSON as text
select id, json_query(event_message, '$.auth_event') as a, json_query(event_message, '$.list') as b, json_query(event_message, '$') as c, json_query(event_message, '$.a') as d, json_query(event_message, '$.provider') as e from auth_logs order by id
