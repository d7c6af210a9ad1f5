-- IS is followed by NULL, TRUE, FALSE or DISTINCT FROM
select id from edge_logs where event_message is 'a'
