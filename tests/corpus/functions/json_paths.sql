-- Paths with quotes and brackets
select id, json_value(event_message, "$['a.b']") as a, json_value(event_message, '$."a.b"') as b, json_value(event_message, "$['a b']") as c, json_value(event_message, '$[0]') as d, json_value(event_message, '$[1].a') as e, json_value(event_message, '$.dup') as f from auth_logs order by id
