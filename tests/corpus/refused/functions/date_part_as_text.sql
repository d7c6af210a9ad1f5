-- A date part is no text
select timestamp_trunc(timestamp, 'hour') as t from edge_logs
