-- STRING_AGG of a column, by another one
select string_agg(event_message, '|' order by id desc) as a from edge_logs where event_message like '%a%'
