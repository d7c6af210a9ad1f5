-- TIMESTAMP_BUCKET
select timestamp_bucket(timestamp, interval 15 minute) as bucket, count(*) as n from edge_logs group by bucket order by bucket
