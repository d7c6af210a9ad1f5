-- A comma join with a CTE of one row
WITH params AS (SELECT TIMESTAMP('2026-03-01T00:00:00Z') AS start_ts, TIMESTAMP('2026-03-02T00:00:00Z') AS end_ts),
base AS (
  SELECT TIMESTAMP_TRUNC(timestamp, day) AS ts, JSON_VALUE(event_message, '$.action') AS action
  FROM auth_logs, params
  WHERE timestamp >= start_ts AND timestamp < end_ts
)
SELECT ts AS timestamp, 'TotalSignUps' AS metric, COUNTIF(action = 'user_signedup') AS count FROM base GROUP BY ts
UNION ALL
SELECT ts, 'Resets', COUNTIF(action = 'user_recovery_requested') FROM base GROUP BY ts
ORDER BY timestamp DESC, metric
