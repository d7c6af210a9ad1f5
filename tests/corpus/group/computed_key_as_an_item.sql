-- A computed key as a whole item of SELECT and of ORDER BY
select timestamp_trunc(timestamp, hour) as h, count(*) as n from edge_logs group by timestamp_trunc(timestamp, hour) order by timestamp_trunc(timestamp, hour)
