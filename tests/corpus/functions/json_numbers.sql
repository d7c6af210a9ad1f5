-- Numbers of JSON text
select id, safe_cast(json_value(event_message, '$.duration') as int64) as a, safe_cast(json_value(event_message, '$.e') as float64) as b, lower(json_value(event_message, '$.metering')) = 'true' as c from auth_logs order by id
