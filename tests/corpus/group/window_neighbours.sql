-- LAG and LEAD with an offset and a default
select id, lag(id) over w as before, lead(id, 2, 'none') over w as after, first_value(id) over w as first, timestamp_diff(timestamp, lag(timestamp) over w, second) as gap from edge_logs window w as (order by timestamp, id) order by timestamp, id
