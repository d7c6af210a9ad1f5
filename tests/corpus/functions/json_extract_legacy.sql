-- JSON_EXTRACT and its kin read paths as they did first
select id, json_extract(event_message, "$['a.b']") as a, json_extract_scalar(event_message, '$.n') as b, json_extract_array(event_message, '$.list') as c, json_extract_string_array(event_message, '$.list') as d from auth_logs order by id
