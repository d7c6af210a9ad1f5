-- A regular expression over the message
select id, rest_api_logs.timestamp, event_message from rest_api_logs
where (regexp_contains(event_message, 'Schema cache'))
order by timestamp desc
limit 15
