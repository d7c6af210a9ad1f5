-- Buckets of dates and wall clocks
select id, date_bucket(date(timestamp), interval 3 day) as a, date_bucket(date(timestamp), interval 2 month, date '2020-01-15') as b, datetime_bucket(datetime(timestamp), interval 6 hour) as c, datetime_bucket(datetime(timestamp), interval 1 year, datetime '2000-07-01') as d from edge_logs order by id
