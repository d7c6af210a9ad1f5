-- A DATE of a text is that of its point in time; what a bucket is cut from has its own type
select date(concat('2024-02-29', ' 23:30:00-08')) as a, safe.date(concat('2024-02-', '30')) as b, date_bucket(timestamp '2024-01-10 10:00:00', interval 2 week) as c, timestamp_bucket(date '2024-01-10', interval 2 day) as d, date_trunc(null, hour) as e
