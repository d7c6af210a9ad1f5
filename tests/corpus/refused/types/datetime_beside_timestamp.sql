-- COALESCE has one type
select coalesce(datetime(timestamp), timestamp) as x from edge_logs
