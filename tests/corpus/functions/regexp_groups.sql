-- REGEXP_EXTRACT with a group that may not take part
select id, regexp_extract(event_message, r'id=(\d+)?') as a, regexp_extract(event_message, r'(?:id=)(\d+)') as b, regexp_extract(event_message, r'[a-z]+') as c, regexp_extract(event_message, r'(x)|a') as d from edge_logs order by id
