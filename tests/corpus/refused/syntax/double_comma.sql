-- A comma stands alone
select id,, timestamp from edge_logs
