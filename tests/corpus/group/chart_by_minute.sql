-- A string literal compared with a TIMESTAMP is one, and GROUP BY means the alias
SELECT
-- gateway-chart
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
FROM
  edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  where t.timestamp > '2026-03-01T00:00:00.000Z'
GROUP BY
timestamp
ORDER BY
  timestamp ASC
