-- JSON_VALUE of text that may be anything
select id, json_value(event_message, '$.action') as a, json_value(event_message, '$.auth_event.actor_id') as b, json_value(event_message, '$') as c, json_value(event_message, '$.list[1]') as d, json_value(event_message, '$.n') as e, json_value(event_message, '$.big') as f from auth_logs order by id
