-- GROUP BY ALL takes no JSON as a key
select to_json_string(m) as text, parse_json(event_message) as document, count(*) as n from edge_logs cross join unnest(metadata) as m group by all
