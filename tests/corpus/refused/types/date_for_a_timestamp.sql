-- A function of TIMESTAMP does not take a DATE
select unix_seconds(date(timestamp)) as x from edge_logs
