-- A string that does not end
select 'abc from edge_logs
