-- Conditions that are constants
SELECT
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (false OR false) THEN 1 END) as ok_count,
  count(CASE WHEN false THEN 1 END) as error_count,
  count(CASE WHEN false THEN 1 END) as warning_count,
FROM
  realtime_logs t
  
  where t.timestamp > '2026-03-01T00:00:00Z'
GROUP BY
timestamp
ORDER BY
  timestamp ASC
