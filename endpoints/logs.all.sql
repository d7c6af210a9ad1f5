-- The logs of one project, one sub-table for each component. Newest first.
WITH edge_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM edge AS t
  WHERE t.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
database_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM database AS t
  WHERE t.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
function_edge_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM function_edge AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  WHERE m.project_ref = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
function_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM function AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  WHERE m.project_ref = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
auth_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM auth AS t
  WHERE t.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
realtime_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM realtime AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  WHERE m.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
storage_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM storage AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  WHERE m.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
rest_api_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM rest_api AS t
  WHERE t.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
),
pooler_logs AS (
  SELECT t.timestamp, t.id, t.event_message, t.metadata
  FROM pooler AS t
  WHERE t.project = @project
    AND (@iso_timestamp_start IS NULL OR t.timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR t.timestamp <= @iso_timestamp_end)
  ORDER BY t.timestamp DESC
)
SELECT id, timestamp, event_message, metadata
FROM edge_logs
ORDER BY timestamp DESC
LIMIT 100
