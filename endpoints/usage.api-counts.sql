-- Requests of one project by bucket and area of the API. A path that matches several areas counts in each.
WITH chart_counts AS (
  SELECT
    CASE @interval
      WHEN 'minutely' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
      WHEN 'hourly' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
      WHEN 'daily' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
    END AS timestamp,
    COUNTIF(REGEXP_CONTAINS(r.path, '/rest')) AS total_rest_requests,
    COUNTIF(REGEXP_CONTAINS(r.path, '/storage')) AS total_storage_requests,
    COUNTIF(REGEXP_CONTAINS(r.path, '/auth')) AS total_auth_requests,
    COUNTIF(REGEXP_CONTAINS(r.path, '/realtime')) AS total_realtime_requests
  FROM edge AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  CROSS JOIN UNNEST(m.request) AS r
  WHERE t.timestamp >= CASE @interval
      WHEN 'minutely' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE)
      WHEN 'hourly' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
      WHEN 'daily' THEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)
    END
    AND REGEXP_CONTAINS(r.url, @project)
  GROUP BY 1
)
SELECT
  DATETIME(c.timestamp) AS timestamp,
  COALESCE(SUM(c.total_rest_requests), 0) AS total_rest_requests,
  COALESCE(SUM(c.total_storage_requests), 0) AS total_storage_requests,
  COALESCE(SUM(c.total_auth_requests), 0) AS total_auth_requests,
  COALESCE(SUM(c.total_realtime_requests), 0) AS total_realtime_requests
FROM chart_counts AS c
GROUP BY 1
ORDER BY 1
