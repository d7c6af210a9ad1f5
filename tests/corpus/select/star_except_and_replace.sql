-- EXCEPT and REPLACE
select * except (metadata) replace (upper(event_message) as event_message) from rest_api_logs limit 3
