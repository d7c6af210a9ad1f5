-- Named arguments are not accepted
select json_value(json => event_message, json_path => '$.a') as x from edge_logs
