-- Several CTEs of the caller, JSON values, a comma join and a union
    -- usage in one pass; the caller fills the gaps
    WITH
    bounds AS (
      SELECT
        COALESCE(
          PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*S%Ez', '2026-03-01T00:00:00Z'),
          TIMESTAMP('2026-03-01T00:00:00Z')
        ) AS lo,
        COALESCE(
          PARSE_TIMESTAMP('%Y-%m-%dT%H:%M:%E*S%Ez', '2026-03-03T00:00:00.000Z'),
          TIMESTAMP('2026-03-03T00:00:00.000Z')
        ) AS hi
    ),

    ev AS (
      SELECT
        TIMESTAMP_TRUNC(timestamp, hour) AS bucket,
        COALESCE(JSON_VALUE(event_message, '$.auth_event.action'), JSON_VALUE(event_message, '$.action')) AS action,
        COALESCE(JSON_VALUE(event_message, '$.auth_event.actor_id'), JSON_VALUE(event_message, '$.user_id')) AS who,
        COALESCE(JSON_VALUE(event_message, '$.provider'), 'unknown') AS provider,
        JSON_VALUE(event_message, '$.login_method') AS login_method,
        CASE
          WHEN JSON_VALUE(event_message, '$.metering') IS NOT NULL THEN LOWER(JSON_VALUE(event_message, '$.metering'))
          WHEN JSON_QUERY(event_message, '$.metering') = 'true' THEN 'true'
          ELSE ''
        END AS metering
      FROM auth_logs, bounds
      WHERE timestamp >= lo AND timestamp < hi
      AND COALESCE(JSON_VALUE(event_message, '$.provider'), 'unknown') IN ('email', 'google', 'unknown')
    ),

    per_bucket AS (
      SELECT
        bucket
        , provider,
        COUNT(DISTINCT IF(action IN ('login','token_refreshed','user_modified'), who, NULL)) AS actives,
        COUNTIF(action = 'user_signedup') AS signups
      FROM ev
      GROUP BY bucket, provider
    ),

    per_login AS (
      SELECT
        bucket,
        provider,
        CASE
          WHEN COALESCE(provider, '') != '' THEN CONCAT(login_method, ' (', provider, ')')
          ELSE login_method
        END AS kind,
        COUNTIF(action = 'login' AND metering = 'true') AS count
      FROM ev
      GROUP BY bucket, kind, provider
    )

    SELECT bucket AS timestamp, 'actives' AS metric, actives AS count, provider,
           CAST(NULL AS STRING) AS kind
    FROM per_bucket

    UNION ALL
    SELECT bucket, 'signups', signups, provider,
           CAST(NULL AS STRING)
    FROM per_bucket

    UNION ALL
    SELECT bucket, 'logins', count, provider, kind
    FROM per_login

    ORDER BY timestamp DESC, metric, provider, kind
