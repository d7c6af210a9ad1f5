-- ORDER BY an expression of a cast extract
select
  cast(database_logs.timestamp as datetime) as timestamp,
  parsed.application_name,
  -- value sits inside the text
  regexp_extract(event_message, r'duration: ([0-9.]+) ms') as duration_ms
from database_logs
  cross join unnest(metadata) as metadata
  cross join unnest(metadata.parsed) as parsed
where
  event_message like '%duration:%'
  and regexp_extract(event_message, r'duration: ([0-9.]+) ms') is not null
  and cast(regexp_extract(event_message, r'duration: ([0-9.]+) ms') as float64) > 250.0
order by cast(regexp_extract(event_message, r'duration: ([0-9.]+) ms') as float64) desc, database_logs.timestamp
limit 50;
