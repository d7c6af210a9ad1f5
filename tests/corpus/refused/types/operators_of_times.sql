-- Operators beside each kind of time name the function to write
select timestamp + 1 as a, datetime(timestamp) - 1 as b, time(timestamp) - time '10:00:00' as c, date(timestamp) - '2024-01-01' as d, 2 / timestamp as e from edge_logs
