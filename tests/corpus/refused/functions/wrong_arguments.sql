-- Arguments that no signature takes
select timestamp_trunc(id, hour) from edge_logs
