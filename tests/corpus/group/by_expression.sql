-- GROUP BY an expression
select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by timestamp_trunc(timestamp, hour) order by hour
