-- Fields of JSON are read by functions
select parse_json(event_message).level as level from edge_logs
