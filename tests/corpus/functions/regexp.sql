-- Regular expressions
select regexp_extract(event_message, r'id=(\d+)') as id, regexp_replace(event_message, r'\d+', '#') as masked, regexp_contains(event_message, '(?i)error') as bad from edge_logs limit 1
