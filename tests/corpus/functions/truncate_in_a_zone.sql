-- TIMESTAMP_TRUNC in a zone
select id, timestamp_trunc(timestamp, day, 'America/New_York') as day, timestamp_trunc(timestamp, hour, 'Asia/Kolkata') as hour, timestamp_trunc(timestamp, month, 'Europe/London') as month from edge_logs order by id
