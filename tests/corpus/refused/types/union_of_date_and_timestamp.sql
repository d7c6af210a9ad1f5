-- The columns of a set operation have one type
select date(timestamp) as x from edge_logs union all select timestamp from edge_logs
