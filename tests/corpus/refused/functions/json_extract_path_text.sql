-- JSON is read by JSON_VALUE
select json_extract_path_text(event_message, 'a') as x from edge_logs
