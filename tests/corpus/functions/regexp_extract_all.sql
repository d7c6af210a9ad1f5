-- REGEXP_EXTRACT_ALL with and without a group
select id, regexp_extract_all(event_message, r'[A-Za-z]+') as a, regexp_extract_all(event_message, r'(\d)\d*') as b, regexp_extract_all(event_message, r'x*') as c from edge_logs order by id
