-- REGEXP_REPLACE with groups
select id, regexp_replace(event_message, r'(\w)(\w)', r'\2\1') as a, regexp_replace(event_message, r'^', '>') as b, regexp_replace(event_message, r'[aeiou]*', '-') as c, regexp_replace(event_message, r'\\', r'\\\\') as d from edge_logs order by id
