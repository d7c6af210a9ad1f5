-- TIMESTAMP_TRUNC to each part
select id, timestamp_trunc(timestamp, second) as s, timestamp_trunc(timestamp, minute) as m, timestamp_trunc(timestamp, week) as w, timestamp_trunc(timestamp, isoweek) as iw, timestamp_trunc(timestamp, quarter) as q, timestamp_trunc(timestamp, year) as y, timestamp_trunc(timestamp, isoyear) as iy from edge_logs order by id
