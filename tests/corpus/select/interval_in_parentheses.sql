-- An INTERVAL in parentheses is one
select timestamp + (interval 1 hour) as later, timestamp - ((interval 1 day)) as earlier from edge_logs order by later
