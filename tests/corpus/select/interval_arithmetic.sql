-- Intervals added to points in time
select timestamp + interval 1 hour as later, timestamp - interval 2 day as before from edge_logs order by 1, 2
