-- JSON values of text that may be no JSON
select json_value(event_message, '$.a.b') as v, json_query(event_message, '$.list[0]') as q from auth_logs limit 1
