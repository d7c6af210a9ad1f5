-- AT TIME ZONE is an argument
select timestamp at time zone 'UTC' as t from edge_logs
