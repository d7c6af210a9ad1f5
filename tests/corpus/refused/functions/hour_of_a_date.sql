-- A DATE has no hours
select date_trunc(date(timestamp), hour) as x from edge_logs
