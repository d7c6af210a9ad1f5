-- DATE and DATETIME in a zone
select id, date(timestamp, 'Asia/Tokyo') as tokyo, datetime(timestamp, 'America/New_York') as new_york, time(timestamp, 'Europe/Berlin') as berlin from edge_logs order by id
