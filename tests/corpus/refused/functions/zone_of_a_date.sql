-- A zone goes with a TIMESTAMP
select string(date(timestamp), 'UTC') as x from edge_logs
