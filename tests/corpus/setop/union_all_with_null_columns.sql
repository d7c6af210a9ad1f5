-- NULL columns take the type of the other arm
WITH all_logs AS (

    select
      id,
      null as source_id,
      el.timestamp as timestamp,
      'gateway' as kind,
      CAST(el_resp.status_code AS STRING) as status,
      CASE
          WHEN el_resp.status_code BETWEEN 200 AND 299 THEN 'ok'
          WHEN el_resp.status_code BETWEEN 400 AND 499 THEN 'warn'
          WHEN el_resp.status_code >= 500 THEN 'err'
          ELSE 'ok'
      END as level,
      el_req.path as pathname,
      null as event_message,
      el_req.method as method,
      null as n_logs
    from edge_logs as el
    cross join unnest(metadata) as el_meta
    cross join unnest(el_meta.request) as el_req
    cross join unnest(el_meta.response) as el_resp

    -- everything but the data API
    WHERE el_req.path NOT LIKE '%/rest/%'
    AND el_req.path NOT LIKE '%/storage/%'
 union all 
    select
      id,
      null as source_id,
      dl.timestamp as timestamp,
      'database' as kind,
      CAST(dl_p.sql_state_code AS STRING) as status,
      CASE
          WHEN dl_p.error_severity = 'LOG' THEN 'ok'
          WHEN dl_p.error_severity = 'WARNING' THEN 'warn'
          WHEN dl_p.error_severity = 'FATAL' THEN 'err'
          WHEN dl_p.error_severity = 'ERROR' THEN 'err'
          ELSE null
      END as level,
      null as pathname,
      event_message as event_message,
      null as method,
      null as n_logs
    from database_logs as dl
    cross join unnest(dl.metadata) as dl_meta
    cross join unnest(dl_meta.parsed) as dl_p

)
SELECT
  TIMESTAMP_TRUNC(timestamp, HOUR) as time_bucket,
  COUNTIF(level = 'err') as err,
  COUNTIF(level = 'warn') as warn,
  COUNTIF(level = 'ok') as ok,
  COUNT(*) as n
FROM all_logs
WHERE status NOT IN ('304','00000')
GROUP BY time_bucket
ORDER BY time_bucket ASC
