-- TIMESTAMP_ADD, TIMESTAMP_SUB and TIMESTAMP_DIFF
select id, timestamp_add(timestamp, interval 90 minute) as later, timestamp_sub(timestamp, interval 1 day) as earlier, timestamp_diff(timestamp, timestamp '2026-03-01 00:00:00+00', hour) as hours, timestamp_diff(timestamp '2026-03-01 00:00:00+00', timestamp, minute) as minutes from edge_logs order by id
