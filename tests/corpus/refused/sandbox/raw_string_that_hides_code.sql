-- A raw string does not end at a backslash and quote
select r'\', ' as a, event_message from edge -- ' from edge_logs
